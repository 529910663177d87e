import { isRecord, type SpanRecord } from "@agate/protocol";

/** A call that a model asked for; the result is not in the model's answer. */
export interface AskedCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** Members through which the answers of models, in any dialect, lead to the calls in them. */
const LEADING = [
  "messages",
  "message",
  "completions",
  "choices",
  "parts",
  "content",
  "contents",
  "output",
  "tool_calls",
  "toolCalls",
  "candidates",
  "generations",
  "kwargs",
] as const;
/** Of an item that is a call: GenAI's, Anthropic's, the AI SDK's, OpenAI's responses. */
const TYPES: ReadonlySet<unknown> = new Set([
  "tool_call",
  "tool_use",
  "tool-call",
  "function_call",
]);
/** Deeper than any answer of a model; it bounds the work on one that is made to be deep. */
const MOST_LEVELS = 32;

/**
 * The tool calls in what a model answered.
 *
 * @throws Error where the answer was not recorded, or was cut.
 */
export function modelToolCalls(span: SpanRecord): AskedCall[] {
  const { metadata, status, name } = span;
  const answer = answerOf(span);
  if (answer === null) {
    if (status === "ERROR") return [];
    throw unknownAnswer(name, "was not recorded");
  }
  if (isRecord(answer) && answer.truncated === true) throw unknownAnswer(name, "was cut");
  if ((metadata.otel.dropped_attributes_count ?? 0) > 0) {
    throw unknownAnswer(name, "lost some of its attributes");
  }
  const calls = callsIn(answer, false, 0);
  if (calls === undefined) throw unknownAnswer(name, "is nested too deeply");
  return calls;
}

/** Whether a model's span says what the model answered. */
export function hasAnswer(span: SpanRecord): boolean {
  return answerOf(span) !== null;
}

/** The exact answer of a provider has the messages that were taken out of it beside it. */
function answerOf({ content: { internals, outputs } }: SpanRecord): unknown {
  const messages = isRecord(internals) ? internals.output_messages : undefined;
  return messages ?? outputs;
}

function unknownAnswer(name: string, why: string): Error {
  return new Error(
    `The trace is incomplete: the answer of the model in "${name}" ${why}. Its tool calls are not known.`,
  );
}

/**
 * The calls in a part of an answer; undefined where it is nested too deeply to tell.
 *
 * @param isListed Whether the value is an item of a list of calls, which needs no type.
 */
function callsIn(value: unknown, isListed: boolean, level: number): AskedCall[] | undefined {
  if (level > MOST_LEVELS) return undefined;
  if (Array.isArray(value)) return all(value.map((item) => callsIn(item, isListed, level + 1)));
  if (!isRecord(value)) return [];
  const call = callOf(value, isListed);
  if (call !== undefined) return [call];
  const inner = LEADING.filter((name) => name in value).map((name) => {
    const isList = name === "tool_calls" || name === "toolCalls";
    return callsIn(isList ? parsed(value[name]) : value[name], isList, level + 1);
  });
  return all(inner);
}

function all(parts: readonly (AskedCall[] | undefined)[]): AskedCall[] | undefined {
  return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
}

function callOf(
  value: Readonly<Record<string, unknown>>,
  isListed: boolean,
): AskedCall | undefined {
  // Google's, OpenAI's, and OpenInference's with them.
  const wrapped = value.functionCall ?? value.function;
  const inner = isRecord(wrapped) ? wrapped : value;
  const name = value.toolName ?? inner.name;
  if (typeof name !== "string") return undefined;
  const isCall = inner !== value || value.toolName !== undefined || TYPES.has(value.type);
  if (!isCall && !isListed) return undefined;
  return { name, arguments: parsed(inner.arguments ?? inner.input ?? inner.args) };
}

/** Models write arguments as a text of JSON, which libraries keep or parse. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
