// How the command line, the page and the SDK talk to a server. It runs in browsers, Node and Workers.
export type { ErrorResponse } from "./error-response.ts";
export { isErrorBody, readErrorResponse, retryAfterMs, traceIdOf } from "./error-response.ts";
export type { ReadOptions } from "./read-body.ts";
export { readLines, readText } from "./read-body.ts";
export type { ReadEventsOptions, ServerSentEvent } from "./read-events.ts";
export { readEvents } from "./read-events.ts";
export type { ReconnectOptions } from "./reconnect.ts";
export { backoffMs, reconnect, sleep } from "./reconnect.ts";
export type { PlatformRequest, Query } from "./request.ts";
export { queryText, requestInit } from "./request.ts";
