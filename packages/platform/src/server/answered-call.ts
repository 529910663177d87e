import type { IncomingMessage, ServerResponse } from "node:http";
import type { ResponseHead } from "../deployments/gateway/response-head.ts";
import { pathOf } from "./log/request-log.ts";

/** A call of a workflow that is over. */
export interface AnsweredCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** 499 where the client went away before the answer began. */
  readonly status: number;
  /** True where the client went away before the end of the answer. */
  readonly isCancelled: boolean;
  readonly ms: number;
  /** Of the call's trace; null where the workflow named none. */
  readonly traceId: string | null;
}

const CLIENT_CLOSED_REQUEST = 499;

/** Tells of a call when it is over. @returns what the gateway is to tell of it. */
export function watchCall(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onCall: (call: AnsweredCall) => void,
): {
  readonly onHead: (head: ResponseHead) => void;
  readonly onBreakOff: () => void;
} {
  const started = performance.now();
  let traceId: string | null = null;
  let isBrokenOff = false;
  outgoing.once("close", () => {
    const { method = "", url } = incoming;
    const ms = performance.now() - started;
    const isCancelled = !outgoing.writableFinished && !isBrokenOff;
    const status =
      isCancelled && !outgoing.headersSent ? CLIENT_CLOSED_REQUEST : outgoing.statusCode;
    onCall({ method, path: pathOf(url), status, isCancelled, ms, traceId });
  });
  return {
    onHead: ({ headers }) => {
      const at = headers.findIndex(
        (text, n) => n % 2 === 0 && text.toLowerCase() === "traceparent",
      );
      traceId = /^\w\w-(\w{32})-/.exec(headers[at + 1] ?? "")?.[1] ?? null;
    },
    onBreakOff: () => {
      isBrokenOff = true;
    },
  };
}
