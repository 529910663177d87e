import type { SpanRecord } from "@agate/protocol";
import { readEvents, type ServerSentEvent } from "@agate/protocol/client";
import {
  type Answered,
  bodyFailure,
  cutOff,
  invalidResponse,
  quotedBody,
} from "./call-failures.ts";
import type { CallAnswer } from "./client-types.ts";
import { errorFromText } from "./error-answer.ts";

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
