import type { App } from "./app.ts";

/** The module `#serve`: one file on Node, another on runtimes that listen themselves (package.json, `imports`). */
export interface ServeModule {
  /** @param socket The path of a socket to listen on, whatever the options and `AGATE_LISTEN` say. */
  serveOnNode(app: App, options: ServeOptions, socket?: string): Promise<Serving>;
}

export declare const serveOnNode: ServeModule["serveOnNode"];

/** How `ag.serve` listens, where `AGATE_LISTEN` does not say it. */
export interface ServeOptions {
  /** 0 takes any free one. Without it `PORT`, else 4101. */
  readonly port?: number | undefined;
  /** Without it `HOST`, else 127.0.0.1: only this machine. */
  readonly hostname?: string | undefined;
  /** Whether SIGINT and SIGTERM answer what is running and send the last spans first; true. */
  readonly signals?: boolean | undefined;
}

/** An app that is being served. */
export interface Serving {
  /** `unix:/path.sock` on a socket in the file system. */
  readonly url: string;
  /** 0 on a socket in the file system. */
  readonly port: number;
  /** Answers the calls that are running, sends the last spans and stops. */
  close(): Promise<void>;
}
