import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export interface PatientRequest {
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
export function patientFetch(
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
