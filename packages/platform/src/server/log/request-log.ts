import type { Caller } from "../../access/caller.ts";

/** What the log says about one request. */
export interface RequestEntry {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Of the client's end of the connection: a proxy's, where there is one. */
  readonly address: string | undefined;
  /** Undefined where it is not known, or was not asked for. */
  readonly caller: Pick<Caller, "name" | "keyId" | "isOperator"> | undefined;
  /** How many log records or data points are of a kind that Agate does not store; undefined for none. */
  readonly notKept?: number | undefined;
  /** The client went away, or the server broke the answer off. */
  readonly aborted: boolean;
}

/** Takes one line a request. */
export interface RequestLog {
  record(entry: RequestEntry): void;
  /** Hands on what it holds back. */
  flush(): void;
}

const BLOCK_LENGTH = 16 * 1024;
const FLUSH_AFTER_MS = 200;
const INFO = 30;
const ERROR = 50;

/**
 * Writes lines in pino's format, many at a time. pino itself would cost the hottest routes a
 * quarter of their speed: it serialises every line by the rules for any object and writes it alone.
 *
 * @param level As a number: 30 is info, 50 error. What is below is left out.
 */
export function createRequestLog(level: number, write: (lines: string) => void): RequestLog {
  let lines = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines === "") return;
    const block = lines;
    lines = "";
    write(block);
  };
  return {
    record({ method, path, status, ms, aborted, address, caller, notKept }) {
      const severity = status >= 500 ? ERROR : INFO;
      if (severity < level) return;
      const took = Math.round(ms * 1000) / 1000;
      const unkept = notKept === undefined ? "" : `,"not_kept":${notKept}`;
      lines += `{"level":${severity},"time":${Date.now()},"method":"${method}","path":${JSON.stringify(path)},"status":${status},"ms":${took}${senderOf(address, caller)}${unkept}${aborted ? ',"aborted":true' : ""},"msg":"request"}\n`;
      if (lines.length >= BLOCK_LENGTH) flush();
      else timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
    },
    flush,
  };
}

function senderOf(address: RequestEntry["address"], caller: RequestEntry["caller"]): string {
  const from = address === undefined ? "" : `,"address":"${address}"`;
  if (caller === undefined || caller.isOperator) return from;
  const id = caller.keyId === null ? "" : `,"key":"${caller.keyId}"`;
  return `${from}${id},"key_name":${JSON.stringify(caller.name)}`;
}

/** The path of a request target, for the log: what follows `?` may be confidential. */
export function pathOf(target: string | undefined): string {
  if (target === undefined) return "";
  const end = target.indexOf("?");
  return end < 0 ? target : target.slice(0, end);
}
