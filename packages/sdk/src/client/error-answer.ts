import { type Answered, bodyFailure, quotedBody } from "./call-failures.ts";
import { ClientError } from "./client-error.ts";

type Detail = ClientError["detail"][number];

/** An answer with an error status, as an error. */
export async function errorOf(answered: Answered): Promise<ClientError> {
  let text: string;
  try {
    text = await answered.response.text();
  } catch (thrown) {
    const failure = bodyFailure(answered, thrown);
    // The status is known, and says more than what happened to the rest.
    if (failure.kind === "aborted") return failure;
    return statusError(answered, { message: `Its body could not be read. ${failure.message}` });
  }
  return errorFromText(text, answered);
}

/** What an `error` event of a stream, or the body of an error, says. */
export function errorFromText(text: string, answered: Answered): ClientError {
  const body = parsed(text);
  const detail = detailOf(body.detail);
  const said = detail.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join(".")}: ${msg}` : msg));
  return statusError(answered, {
    // A proxy in between answers with pages of its own.
    message: said.join(" ") || quotedBody(text.trim()),
    detail,
    traceId: typeof body.trace_id === "string" ? body.trace_id : null,
  });
}

function statusError(
  { url, response }: Answered,
  about: { readonly message: string } & Partial<Pick<ClientError, "detail" | "traceId">>,
): ClientError {
  const { message, ...rest } = about;
  const retryAfter = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return new ClientError(
    `${url} answered ${response.status}: ${message || response.statusText || "no reason given"}`,
    {
      ...rest,
      kind: "status",
      url,
      status: response.status,
      retryAfter: Number.isNaN(retryAfter) ? null : retryAfter,
    },
  );
}

function parsed(text: string): { readonly detail?: unknown; readonly trace_id?: unknown } {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** Other servers have a text as `detail`, or a list of texts. */
function detailOf(detail: unknown): readonly Detail[] {
  const given: readonly unknown[] = Array.isArray(detail) ? detail : [detail];
  return given.flatMap((each): Detail[] => {
    if (typeof each === "string") return each === "" ? [] : [{ loc: [], msg: each, type: UNTYPED }];
    if (typeof each !== "object" || each === null) return [];
    const { loc, msg, type } = each as { readonly [Name in keyof Detail]?: unknown };
    return [
      {
        loc: Array.isArray(loc) ? loc.filter(isStep) : [],
        msg: typeof msg === "string" ? msg : quotedBody(JSON.stringify(each)),
        type: typeof type === "string" ? type : UNTYPED,
      },
    ];
  });
}

/** The type of an error that has none of its own: see `HttpError`. */
const UNTYPED = "http_error";

function isStep(step: unknown): step is string | number {
  return typeof step === "string" || typeof step === "number";
}
