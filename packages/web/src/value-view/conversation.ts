import { type ChatMessage, looksLikeMessage, readMessage } from "./chat-message.ts";
import { isObject, type JsonObject, readPart, text } from "./chat-part.ts";

/** The messages in a recorded value, and its other fields. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  /** Tools, parameters and others; null if there are none. */
  readonly rest: JsonObject | null;
}

/** Fields that hold lists of messages, in reading order. */
const LISTS = [
  "messages",
  "input_messages",
  "input",
  "contents",
  "output_messages",
  "output",
  "choices",
  "candidates",
  "generations",
] as const;

const INSTRUCTIONS = [
  "system_instructions",
  "system",
  "instructions",
  "system_instruction",
  "systemInstruction",
];

/** The fields of a response of the AI SDK. */
const ANSWER_MEMBERS = new Set(["text", "reasoning", "object", "tool_calls", "files"]);

/**
 * Reads a conversation in any of the forms in which clients record one: OpenTelemetry
 * GenAI's parts, OpenAI's messages, choices and items, Anthropic's and Bedrock's blocks, Gemini's
 * contents, OpenInference's, LangChain's and the AI SDK's messages. Null for any other value.
 */
export function readConversation(value: unknown): Conversation | null {
  if (Array.isArray(value)) {
    const messages = readList(value);
    return messages === null ? null : { messages, rest: null };
  }
  if (!isObject(value)) return null;
  if (looksLikeMessage(value)) return withRest(readMessage(value));
  return readLists(value) ?? readAnswer(value);
}

/** Where OpenInference has a call's messages, beside inputs and outputs in the form of the library. */
const MESSAGES = { inputs: "input_messages", outputs: "output_messages", internals: "" } as const;

/** The messages of one side of a call, among its internals; undefined where there are none. */
export function messagesOf(
  { internals }: { readonly internals?: unknown },
  side: keyof typeof MESSAGES,
): unknown {
  return isObject(internals) ? internals[MESSAGES[side]] : undefined;
}

function readLists(value: JsonObject): Conversation | null {
  const lists = LISTS.flatMap((name) => {
    const read = readList(value[name]) ?? (name === "input" ? readQuestion(value) : null);
    return read === null ? [] : [{ name: name as string, read }];
  });
  const messages = lists.flatMap(({ read }) => read);
  const used = new Set(lists.map(({ name }) => name));
  if (used.size === 0) return null;
  for (const name of INSTRUCTIONS) {
    const system = readInstructions(value[name]);
    if (system === null) continue;
    messages.unshift(system);
    used.add(name);
  }
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !used.has(name)));
  return { messages, rest: Object.keys(rest).length === 0 ? null : rest };
}

/** A request of OpenAI's Responses API may have one question as a text. */
function readQuestion({ input, model, instructions }: JsonObject): ChatMessage[] | null {
  if (typeof input !== "string" || (text(model) ?? text(instructions)) === null) return null;
  return [{ role: "user", recordedRole: "user", parts: [readPart(input)], rest: {} }];
}

function readList(list: unknown): ChatMessage[] | null {
  // Bedrock returns a single message; LangChain a list for each prompt of a batch, usually one.
  const only = Array.isArray(list) && list.length === 1 && Array.isArray(list[0]) ? list[0] : list;
  const value = looksLikeMessage(only) ? [only] : only;
  if (!Array.isArray(value)) return null;
  // Gemini's candidates have their message in `content`.
  const entries = value
    .filter((entry) => entry !== null)
    .map((entry) =>
      isObject(entry) && isObject(entry.content) ? { ...entry, ...candidate(entry) } : entry,
    );
  if (entries.length === 0 || !entries.every(looksLikeMessage)) return null;
  return entries.flatMap((entry) => readMessage(entry) ?? []);
}

function candidate(entry: JsonObject): JsonObject {
  const content = entry.content;
  return isObject(content) && Array.isArray(content.parts)
    ? { role: content.role ?? "model", parts: content.parts, content: undefined }
    : {};
}

function readInstructions(value: unknown): ChatMessage | null {
  const inner = isObject(value) && Array.isArray(value.parts) ? value.parts : value;
  const parts = typeof inner === "string" && inner !== "" ? [inner] : inner;
  if (!Array.isArray(parts) || parts.length === 0) return null;
  return { role: "system", recordedRole: "system", parts: parts.map(readPart), rest: {} };
}

function readAnswer(value: JsonObject): Conversation | null {
  const isAnswer = Object.keys(value).every((name) => ANSWER_MEMBERS.has(name));
  const hasMore = Array.isArray(value.tool_calls) || text(value.reasoning) !== null;
  if (!isAnswer || !hasMore) return null;
  const { text: content, files, object, ...others } = value;
  const message = readMessage({ role: "assistant", content: content ?? "", ...others });
  const rest = { ...(object !== undefined && { object }), ...(files !== undefined && { files }) };
  if (message === null) return null;
  return { messages: [message], rest: Object.keys(rest).length === 0 ? null : rest };
}

/** The other fields of a single message belong to the response: id, model, usage. */
function withRest(message: ChatMessage | null): Conversation | null {
  if (message === null) return null;
  const { rest } = message;
  return {
    messages: [{ ...message, rest: {} }],
    rest: Object.keys(rest).length === 0 ? null : rest,
  };
}
