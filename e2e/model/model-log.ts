import type { ModelSpan } from "./model-span.ts";

/** Messages of one model call, as an instrumentation logs them in one request. */
export interface ModelLog {
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since 1970; what was logged earlier is shown first. */
  readonly at: number;
  /** Texts of messages to the model and from it, a log record each. */
  readonly asked: readonly string[];
  readonly answered: readonly string[];
  /** A side that one log record holds as a whole: text or a JSON object; null where none does. */
  readonly inputs: unknown;
  readonly outputs: unknown;
}

/** Of what a request has of one span, in characters of JSON; and of a span in bytes. */
const MOST_CHARACTERS = 128 * 1024;
export const MOST_SPAN_BYTES = 4 * 1024 * 1024;

/** What a request has of one span: that is kept, replaced and rejected together. */
export interface MergedLog extends ModelLog {
  /** How many log records it came in. */
  readonly records: number;
}

/** What a request has of each span. */
export function mergedBySpan(logs: readonly ModelLog[]): MergedLog[] {
  return [...Map.groupBy(logs, ({ traceId, spanId }) => `${traceId} ${spanId}`).values()].map(
    (own) => ({
      ...own[0]!,
      asked: own.flatMap(({ asked }) => asked),
      answered: own.flatMap(({ answered }) => answered),
      inputs: firstOf(own.map(({ inputs }) => inputs)),
      outputs: firstOf(own.map(({ outputs }) => outputs)),
      records: own.reduce((sum, log) => sum + logRecords(log).length, 0),
    }),
  );
}

/** Two with the same are one, though they were logged at different times. */
export function contentOf({ spanId, asked, answered, inputs, outputs }: ModelLog): string {
  return JSON.stringify([spanId, asked, answered, inputs, outputs]);
}

/** About as many as are stored: random logs keep far enough from the limits. */
export function bytesOf(log: ModelLog): number {
  return Buffer.byteLength(contentOf(log));
}

export function isTooLong(log: ModelLog): boolean {
  return contentOf(log).length > MOST_CHARACTERS;
}

/** The span as its record shows it: logged content fills a side that the span itself leaves empty. */
export function withLogs(span: ModelSpan, logs: readonly ModelLog[]): ModelSpan {
  if (logs.length === 0) return span;
  const ordered = logs.toSorted((a, b) => a.at - b.at);
  return {
    ...span,
    inputs: firstOf([
      span.inputs,
      ...ordered.map(({ inputs }) => inputs),
      messages(ordered.flatMap(({ asked }) => asked.map(askedMessage))),
    ]),
    outputs: firstOf([
      span.outputs,
      ...ordered.map(({ outputs }) => outputs),
      messages(ordered.flatMap(({ answered }) => answered.map(answeredMessage))),
    ]),
  };
}

const askedMessage = (content: string) => ({ role: "user", content });
const answeredMessage = (content: string) => ({
  finish_reason: "stop",
  role: "assistant",
  content,
});

function messages(all: readonly object[]): object | null {
  return all.length === 0 ? null : { messages: all };
}

function firstOf(values: readonly unknown[]): unknown {
  return values.find((value) => value !== null) ?? null;
}

/** An ExportLogsServiceRequest in OTLP's JSON. */
export function otlpLogs(logs: readonly ModelLog[]): string {
  return JSON.stringify({
    resourceLogs: [{ scopeLogs: [{ logRecords: logs.flatMap(logRecords) }] }],
  });
}

function logRecords({ traceId, spanId, at, asked, answered, inputs, outputs }: ModelLog): object[] {
  const record = (eventName: string, rest: object) => ({
    traceId,
    spanId,
    timeUnixNano: `${at}000`,
    eventName,
    ...rest,
  });
  const whole = (eventName: string, attribute: string, value: unknown) =>
    value === null ? [] : [record(eventName, { attributes: [text(attribute, textOf(value))] })];
  return [
    ...asked.map((each) =>
      record("gen_ai.user.message", { body: object([text("content", each)]) }),
    ),
    ...answered.map((each) => {
      const message = object([text("role", "assistant"), text("content", each)]);
      const members = [text("finish_reason", "stop"), { key: "message", value: message }];
      return record("gen_ai.choice", { body: object(members) });
    }),
    ...whole("gen_ai.content.prompt", "gen_ai.prompt", inputs),
    ...whole("gen_ai.content.completion", "gen_ai.completion", outputs),
  ];
}

function text(key: string, value: string) {
  return { key, value: { stringValue: value } };
}

function object(values: readonly object[]) {
  return { kvlistValue: { values } };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
