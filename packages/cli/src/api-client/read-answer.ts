import type { ErrorBody } from "@agate/protocol";
import type { ApiDocument } from "./api-document.ts";
import { ApiFailure } from "./api-failure.ts";
import { connectionFailure } from "./connection-failure.ts";

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** The answer if its status is good. */
export async function expectOk(response: Response, url: string): Promise<Response> {
  if (response.ok) return response;
  const { status } = response;
  if (status >= 300 && status < 400) {
    const place = response.headers.get("location") ?? "an unknown place";
    throw notAgate(url, status, `it redirects to ${place}`);
  }
  const body = parseJson(await readText(response, url));
  if (!isErrorBody(body)) throw notAgate(url, status, `its error is ${typeOf(response)}`);
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  throw new ApiFailure(url, {
    kind: "refused",
    status,
    detail: body.detail,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    log: [],
    traceId: traceIdOf(body),
  });
}

/** A workflow names the trace of a call that failed. */
export function traceIdOf(body: object): string | null {
  return "trace_id" in body && typeof body.trace_id === "string" ? body.trace_id : null;
}

/** The document of a good answer. */
export async function readJson<Value>(
  response: Response,
  url: string,
): Promise<ApiDocument<Value>> {
  const json = await readText(response, url);
  if (response.status === 204 || response.status === 205) {
    return { value: null as Value, json: "null" };
  }
  const value = parseJson(json);
  if (value === undefined || !JSON_TYPE.test(response.headers.get("content-type") ?? "")) {
    throw notAgate(url, response.status, `it is ${typeOf(response)}`);
  }
  return { value: value as Value, json };
}

async function readText(response: Response, url: string): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw connectionFailure(url, error);
  }
}

function notAgate(url: string, status: number, reason: string): ApiFailure {
  return new ApiFailure(url, { kind: "not-agate", status, reason });
}

function typeOf(response: Response): string {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  return type ? `of type ${type}` : "without a type";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What it is instead is said by whoever expected JSON.
    return undefined;
  }
}

/** Contract 2.3, as far as it is printed. */
export function isErrorBody(value: unknown): value is ErrorBody {
  if (typeof value !== "object" || value === null || !("detail" in value)) return false;
  const { detail } = value;
  return (
    Array.isArray(detail) &&
    detail.length > 0 &&
    detail.every(
      (entry) =>
        typeof entry === "object" &&
        entry !== null &&
        typeof entry.msg === "string" &&
        Array.isArray(entry.loc),
    )
  );
}
