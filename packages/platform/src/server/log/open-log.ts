import type { Logger } from "pino";
import { pino } from "pino";
import type { LogOptions } from "./log-options.ts";
import type { RequestLog } from "./request-log.ts";
import { createRequestLog } from "./request-log.ts";

/** The server's log. */
export interface OpenLog {
  readonly log: Logger;
  readonly requests: RequestLog;
  /** Resolves when everything said so far is written. */
  flush(): Promise<void>;
}

/** Opens the log. Lines are written in the background; no request waits for them. */
export async function openLog(options: LogOptions): Promise<OpenLog> {
  const { level, format, destination = process.stdout.fd } = options;
  const file = pino.destination({ dest: destination, sync: false, minLength: 1 });
  // A full disk or a closed pipe costs log lines, not the server.
  file.on("error", () => {});
  const prettify = format === "pretty" ? await prettifier() : undefined;
  const write = (lines: string) => {
    file.write(prettify === undefined ? lines : prettify(lines));
  };
  const log = pino({ level, base: null }, { write });
  const isAsked = options.requests ?? true;
  const requests = createRequestLog(isAsked ? log.levelVal : Number.POSITIVE_INFINITY, write);
  return {
    log,
    requests,
    flush: () => {
      requests.flush();
      return new Promise((resolve) => {
        file.flush(() => resolve());
      });
    },
  };
}

/** Loaded late: most servers write JSON. */
async function prettifier(): Promise<(lines: string) => string> {
  // By its default export: a bundled CommonJS module that is imported late has no other.
  const { default: pretty } = await import("pino-pretty");
  const prettify = pretty.prettyFactory({
    colorize: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
    ignore: "method,path,status,ms,aborted,address,key,key_name",
    messageFormat: (entry, key) => {
      const { method, path, status, ms, aborted, address, key_name } = entry;
      if (method === undefined) return String(entry[key]);
      const what = status === undefined ? entry[key] : `${status} in ${ms} ms`;
      const by = key_name === undefined ? "" : `, by ${key_name} from ${address}`;
      return `${method} ${path}: ${what}${by}${aborted ? ", broken off" : ""}`;
    },
  });
  return (lines) =>
    lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => prettify(line))
      .join("");
}
