import { type Query, queryText, requestInit } from "@agate/protocol/client";
import { ApiFailure, connectionFailure } from "./api-failure.ts";
import type { ApiPath } from "./api-path.ts";
import type { Connection } from "./connection.ts";
import { patientFetch } from "./patient-fetch.ts";
import { type ApiDocument, expectOk, readJson } from "./response-body.ts";

export type { Query };

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly bytes?: { readonly content: Uint8Array<ArrayBuffer>; readonly type: string };
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Until the headers of the response arrive; null waits without limit. */
  readonly timeoutMs?: number | null;
}

/** Far longer than any plain read or change takes. */
const TIMEOUT_MS = 30_000;

/** The platform's REST API. Every method throws an {@link ApiFailure} where the request fails. */
export interface ApiClient {
  readonly connection: Connection;
  get<Value>(path: ApiPath, query?: Query): Promise<ApiDocument<Value>>;
  /** Sends a change; the response may be empty. */
  send<Value>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: ApiPath,
    body?: unknown,
  ): Promise<ApiDocument<Value>>;
  /** For streams, slow requests and other types than JSON. The status of the response is 2xx. */
  open(path: ApiPath, request: ApiRequest): Promise<Response>;
}

export function createApiClient(connection: Connection): ApiClient {
  const open: ApiClient["open"] = async (path, request) => {
    const response = await sendRequest(connection, path, request);
    return await expectOk(response, connection.url);
  };
  return {
    connection,
    open,
    get: async (path, query = {}) => readJson(await open(path, { query }), connection.url),
    send: async (method, path, body) =>
      readJson(await open(path, { method, body }), connection.url),
  };
}

async function sendRequest(
  { url, apiKey, project }: Connection,
  path: ApiPath,
  { method, query = {}, body, bytes, accept, ...waiting }: ApiRequest,
): Promise<Response> {
  const init = requestInit({ method, body, accept, apiKey, project });
  if (bytes !== undefined) init.headers.set("content-type", bytes.type);
  const { signal, timeoutMs = TIMEOUT_MS } = waiting;
  const late = new AbortController();
  const timer = timeoutMs === null ? undefined : setTimeout(() => late.abort(), timeoutMs);
  const request = {
    ...init,
    ...(bytes !== undefined && { body: bytes.content }),
    signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
  };
  try {
    const address = url + path + queryText(query);
    // Redirects are not followed: they would turn a POST into a GET, or send the key to another host.
    return timeoutMs === null
      ? await patientFetch(address, request)
      : await fetch(address, { ...request, redirect: "manual" });
  } catch (error) {
    if (late.signal.aborted) throw new ApiFailure(url, { kind: "timed-out" }, { cause: error });
    throw connectionFailure(url, error);
  } finally {
    clearTimeout(timer);
  }
}
