import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { type Query, queryText, requestInit } from "@agate/protocol/client";
import { ApiFailure, connectionFailure } from "./api-failure.ts";
import type { Connection } from "./connection.ts";
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

/** A path of the API, its variable parts encoded: made by {@link apiPath} only. */
export type ApiPath = string & { readonly __brand: "ApiPath" };

/** A name that no path can hold. */
export class UnusableName extends Error {
  override readonly name = "UnusableName";
}

/**
 * @example apiPath`/registry/applications/${"my app"}/variants` // "/registry/applications/my%20app/variants"
 * @throws {UnusableName} for a part that is empty, `.` or `..`: a URL drops those, encoded or not.
 */
export function apiPath(parts: TemplateStringsArray, ...names: readonly string[]): ApiPath {
  const encoded = names.map((name) => {
    if (/^\.{0,2}$/.test(name)) throw new UnusableName(`'${name}' is not a name.`);
    return encodeURIComponent(name);
  });
  return String.raw({ raw: parts }, ...encoded) as ApiPath;
}

interface PatientRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * `fetch` without its limit of 5 minutes until the headers are there, and between two chunks, for
 * answers that take as long as they take. Follows no redirect. Fails as `fetch` does: with a
 * TypeError that has the reason as its cause.
 */
function patientFetch(
  url: string,
  { method, headers, body, signal }: PatientRequest,
): Promise<Response> {
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) =>
      reject(signal.aborted ? signal.reason : new TypeError("fetch failed", { cause: error }));
    const request = send(url, { method, headers: Object.fromEntries(headers), signal });
    request.on("error", fail);
    request.on("response", (message) => resolve(asResponse(message)));
    request.end(body);
  });
}

/** Statuses whose answers have no body: a `Response` with one is refused. */
const WITHOUT_BODY = [204, 205, 304];

function asResponse(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (WITHOUT_BODY.includes(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  return new Response(ReadableStream.from(chunksOf(message)), { status, headers });
}

async function* chunksOf(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* message;
  } catch (error) {
    throw new TypeError("terminated", { cause: error });
  }
}
