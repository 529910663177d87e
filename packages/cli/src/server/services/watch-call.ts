import type { IncomingMessage, ServerResponse } from "node:http";
import type { ResponseHead } from "../../deployments/gateway/response-head.ts";
import { pathOf } from "../deliver.ts";

/** A call of a workflow that is over. */
export interface AnsweredCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Of the call's trace; null where the workflow named none. */
  readonly traceId: string | null;
}

/** Tells of a call when it is over. @returns takes the head of the workflow's answer. */
export function watchCall(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onCall: (call: AnsweredCall) => void,
): (head: ResponseHead) => void {
  const started = performance.now();
  let traceId: string | null = null;
  outgoing.once("close", () => {
    const { method = "", url } = incoming;
    const ms = performance.now() - started;
    onCall({ method, path: pathOf(url), status: outgoing.statusCode, ms, traceId });
  });
  return ({ headers }) => {
    const at = headers.findIndex((text, n) => n % 2 === 0 && text.toLowerCase() === "traceparent");
    traceId = /^\w\w-(\w{32})-/.exec(headers[at + 1] ?? "")?.[1] ?? null;
  };
}
