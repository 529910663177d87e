import type { ApiDocument } from "./api-document.ts";
import { ApiFailure } from "./api-failure.ts";
import type { ApiPath } from "./api-path.ts";
import type { Connection } from "./connection.ts";
import { connectionFailure } from "./connection-failure.ts";
import { patientFetch } from "./patient-fetch.ts";
import { expectOk, readJson } from "./read-answer.ts";

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly bytes?: { readonly content: Uint8Array<ArrayBuffer>; readonly type: string };
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Until the headers of the answer are there; null waits for as long as it takes. */
  readonly timeoutMs?: number | null;
}

const JSON_TYPE = "application/json";
/** Far beyond any plain read or change; a commit waits for a disk, not for a person. */
const TIMEOUT_MS = 30_000;

/** The platform's REST API. Every method throws an {@link ApiFailure} where it gets no answer. */
export interface ApiClient {
  readonly connection: Connection;
  get<Value>(path: ApiPath, query?: Query): Promise<ApiDocument<Value>>;
  /** Sends a change; its answer may be empty. */
  send<Value>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: ApiPath,
    body?: unknown,
  ): Promise<ApiDocument<Value>>;
  /** For streams, and whatever else takes longer or is not JSON. The answer's status is good. */
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
  connection: Connection,
  path: ApiPath,
  { method = "GET", query = {}, body, bytes, accept = JSON_TYPE, ...waiting }: ApiRequest,
): Promise<Response> {
  const { url, apiKey, project } = connection;
  const headers = new Headers({ accept });
  if (apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
  if (project !== undefined) headers.set("agate-project", project);
  const sent = bytes?.content ?? (body === undefined ? undefined : JSON.stringify(body));
  if (sent !== undefined) headers.set("content-type", bytes?.type ?? JSON_TYPE);
  const { signal, timeoutMs = TIMEOUT_MS } = waiting;
  const late = new AbortController();
  const timer = timeoutMs === null ? undefined : setTimeout(() => late.abort(), timeoutMs);
  const request = {
    method,
    headers,
    signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    ...(sent !== undefined && { body: sent }),
  };
  try {
    const address = url + path + searchOf(query);
    // A redirect would turn a POST into a GET, or carry the key elsewhere: the person decides.
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

function searchOf(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}
