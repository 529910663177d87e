import { readErrorResponse, readEvents, readLines, readText } from "@agate/protocol/client";
import { ApiFailure, connectionFailure } from "./api-failure.ts";

/** A document of the API: parsed, and as it was sent. */
export interface ApiDocument<Value> {
  readonly value: Value;
  /** `null` where the API answered without a body. */
  readonly json: string;
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** @throws {ApiFailure} where the status is not 2xx. */
export async function expectOk(response: Response, url: string): Promise<Response> {
  if (response.ok) return response;
  const { status } = response;
  if (status >= 300 && status < 400) {
    const target = response.headers.get("location") ?? "an unknown address";
    throw notAgate(url, status, `it redirects to ${target}`);
  }
  const error = await fromConnection(url, readErrorResponse(response));
  if (error.detail === null) throw notAgate(url, status, `its error is ${typeOf(response)}`);
  throw new ApiFailure(url, {
    kind: "refused",
    status,
    detail: error.detail,
    retryAfterSeconds: error.retryAfterMs === null ? null : error.retryAfterMs / 1000,
    log: [],
    traceId: error.traceId,
  });
}

/** The document of a response with status 2xx. */
export async function readJson<Value>(
  response: Response,
  url: string,
): Promise<ApiDocument<Value>> {
  const json = await fromConnection(url, response.text());
  if (response.status === 204 || response.status === 205) {
    return { value: null as Value, json: "null" };
  }
  if (JSON_TYPE.test(response.headers.get("content-type") ?? "")) {
    try {
      return { value: JSON.parse(json) as Value, json };
    } catch {
      // Reported below, with the type that the server claims.
    }
  }
  throw notAgate(url, response.status, `it is ${typeOf(response)}`);
}

function notAgate(url: string, status: number, reason: string): ApiFailure {
  return new ApiFailure(url, { kind: "not-agate", status, reason });
}

function typeOf(response: Response): string {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  return type ? `of type ${type}` : "without a type";
}

async function fromConnection<Value>(url: string, reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    throw connectionFailure(url, error);
  }
}

/** The server-sent events of a response as they arrive. */
export const bodyEvents = bodyReader(readEvents);

/** Its lines, for NDJSON. */
export const bodyLines = bodyReader(readLines);

/** Its text. */
export const bodyText = bodyReader(readText);

/** Its bytes. */
export const bodyBytes = bodyReader((body) => body);

function bodyReader<Item>(read: (body: ReadableStream<Uint8Array>) => AsyncIterable<Item>) {
  return async function* ({ body }: Response, url: string): AsyncGenerator<Item, void, void> {
    if (body === null) return;
    try {
      yield* read(body);
    } catch (error) {
      throw connectionFailure(url, error);
    }
  };
}
