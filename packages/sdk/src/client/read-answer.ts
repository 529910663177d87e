import type { SpanRecord } from "@agate/protocol";
import { readEvents, type ServerSentEvent } from "@agate/protocol/client";
import {
  type Answered,
  bodyFailure,
  cutOff,
  invalidResponse,
  quotedBody,
} from "./call-failures.ts";
import { ClientError } from "./client-error.ts";
import type { CallAnswer } from "./client-types.ts";

type Ids = Omit<CallAnswer<unknown>, "data">;

/** One step of an answer: a value is a single chunk. */
export type AnswerEvent =
  | { readonly kind: "chunk"; readonly chunk: unknown }
  | { readonly kind: "done"; readonly ids: Ids };

/** Whether the app streams its answer. Names of types are case-insensitive. */
export function isEventStream({ response }: Answered): boolean {
  const type = response.headers.get("content-type") ?? "";
  return type.split(";", 1)[0]!.trim().toLowerCase() === "text/event-stream";
}

/**
 * Reads an answer to its end.
 *
 * @throws ClientError where it is none, breaks off or is aborted.
 */
export async function* answerEvents(answered: Answered): AsyncGenerator<AnswerEvent, void, void> {
  const { body } = answered.response;
  if (!isEventStream(answered) || body === null) {
    const answer = dataAnswer(answered, await textOf(answered));
    yield { kind: "chunk", chunk: answer.data };
    yield { kind: "done", ids: idsOf(answer) };
    return;
  }
  for await (const { event, data } of eventsOf(answered, body)) {
    switch (event) {
      case "chunk":
        yield { kind: "chunk", chunk: jsonOf(answered, data, "a chunk") };
        break;
      case "done":
        yield { kind: "done", ids: idsOf(objectOf(answered, data, "an end of the stream")) };
        return;
      case "error":
        throw errorFromText(data, answered);
    }
  }
  throw cutOff(answered);
}

async function textOf(answered: Answered): Promise<string> {
  try {
    return await answered.response.text();
  } catch (thrown) {
    throw bodyFailure(answered, thrown);
  }
}

async function* eventsOf(
  answered: Answered,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, void> {
  // Not around a `yield`: what is thrown there is the reader's own.
  const events = readEvents(body);
  try {
    for (;;) {
      const { done, value } = await events.next().catch((thrown: unknown) => {
        throw bodyFailure(answered, thrown);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await events.return();
  }
}

type AnswerBody = Readonly<Record<string, unknown>>;

function dataAnswer(answered: Answered, text: string): AnswerBody {
  if (text.trim() === "") throw invalidResponse(answered, "an empty body");
  const body = objectOf(answered, text, "a body");
  if (Object.hasOwn(body, "data")) return body;
  throw invalidResponse(answered, `a body without "data": ${quotedBody(text)}`);
}

function objectOf(answered: Answered, text: string, what: string): AnswerBody {
  const value = jsonOf(answered, text, what);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as AnswerBody;
  }
  throw invalidResponse(answered, `${what} that is no object: ${quotedBody(text)}`);
}

function jsonOf(answered: Answered, text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidResponse(answered, `${what} that is not JSON: ${quotedBody(text)}`);
  }
}

function idsOf({ trace_id, span_id, trace }: AnswerBody): Ids {
  return {
    // A stand-in for an app, in a test, may leave them out.
    traceId: typeof trace_id === "string" ? trace_id : "",
    spanId: typeof span_id === "string" ? span_id : "",
    trace: (trace as SpanRecord | undefined) ?? null,
  };
}

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
function errorFromText(text: string, answered: Answered): ClientError {
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
