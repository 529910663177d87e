import type { App } from "./app.ts";
import type { ServeOptions, Serving } from "./serving.ts";

/** What `#serve` is: one file on Node, another where the runtime listens by itself (package.json, `imports`). */
export interface ServeModule {
  serveOnNode(app: App, options: ServeOptions): Promise<Serving>;
}

export declare const serveOnNode: ServeModule["serveOnNode"];
