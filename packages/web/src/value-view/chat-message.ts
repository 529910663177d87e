import {
  type ChatPart,
  isObject,
  type JsonObject,
  readPart,
  readToolCall,
  readToolResult,
  text,
} from "./chat-part.ts";

export type ChatRole = "system" | "user" | "assistant" | "tool";

/** One turn of a conversation, in a form independent of the client that recorded it. */
export interface ChatMessage {
  readonly role: ChatRole;
  /** The role as it was recorded. */
  readonly recordedRole: string;
  readonly parts: readonly ChatPart[];
  /** Its other fields. */
  readonly rest: JsonObject;
}

const ROLES: ReadonlyMap<string, ChatRole> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["ai", "assistant"],
  ["model", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

/** Items of OpenAI's Responses API beside messages, and their roles. */
const ITEMS: ReadonlyMap<string, ChatRole> = new Map([
  ["function_call", "assistant"],
  ["reasoning", "assistant"],
  ["function_call_output", "tool"],
  // The same in OpenAI's Agents SDK.
  ["function_call_result", "tool"],
]);

/** The names of LangChain's classes, which JavaScript's serialisation has in the place of roles. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["SystemMessage", "system"],
  ["HumanMessage", "human"],
  ["AIMessage", "ai"],
  ["AIMessageChunk", "ai"],
  ["ToolMessage", "tool"],
  ["FunctionMessage", "function"],
]);

const CONTENT = ["content", "parts", "contents", "tool_calls", "function_call", "message"];

/** Null if the value is not a message. */
export function readMessage(value: unknown): ChatMessage | null {
  if (!isObject(value)) return null;
  const item = typeof value.type === "string" ? ITEMS.get(value.type) : undefined;
  if (item !== undefined && value.role === undefined) {
    return { role: item, recordedRole: item, parts: [readPart(value)], rest: {} };
  }
  const plain = langChainMessage(value);
  if (plain !== null) return readFlat(plain);
  // A choice of OpenAI wraps its message; the role may be missing.
  const { message: inner, ...outer } = value;
  if (!isObject(inner)) return readFlat(value);
  const generated = langChainMessage(inner);
  if (generated === null) return readFlat({ role: "assistant", ...outer, ...inner });
  // A generation of LangChain has the text of its message once more.
  const { text: _, ...besides } = outer;
  return readFlat({ ...besides, ...generated });
}

/** LangChain has the role in `type`; its own serialisation wraps the message in `kwargs`. */
function langChainMessage(value: JsonObject): JsonObject | null {
  if (value.lc !== undefined && isObject(value.kwargs)) {
    const type = CLASSES.get(String(Array.isArray(value.id) ? value.id.at(-1) : ""));
    return langChainMessage({ ...(type !== undefined && { type }), ...value.kwargs });
  }
  const { type, additional_kwargs, ...rest } = value;
  if (value.role !== undefined || !("content" in value) || !isRole(type)) return null;
  const more = isObject(additional_kwargs) ? additional_kwargs : {};
  return { ...more, ...rest, role: type };
}

function isRole(type: unknown): type is string {
  return typeof type === "string" && ROLES.has(type.toLowerCase());
}

function readFlat(value: JsonObject): ChatMessage | null {
  const recordedRole = text(value.role);
  const role = recordedRole === null ? undefined : ROLES.get(recordedRole.toLowerCase());
  if (recordedRole === null || role === undefined) return null;
  const { role: _, content, parts, contents, tool_calls, function_call, ...others } = value;
  const { reasoning_content, reasoning, ...rest } = others;
  const thoughts = text(reasoning_content) ?? text(reasoning);
  const said = Array.isArray(parts) ? parts : (contents ?? content);
  const calls = Array.isArray(tool_calls) ? tool_calls : [];
  const read: ChatPart[] = [
    ...(thoughts === null || thoughts === ""
      ? []
      : [readPart({ type: "reasoning", text: thoughts })]),
    ...readSaid(said, role, value),
    ...calls.map(readToolCall),
    ...(isObject(function_call) ? [readToolCall(function_call)] : []),
  ];
  const unread = {
    ...(said !== content && { content }),
    ...(!Array.isArray(tool_calls) && { tool_calls }),
    ...(!isObject(function_call) && { function_call }),
  };
  const besides = { ...leftOver(rest, role), ...unread };
  return { role, recordedRole, parts: read, rest: withoutEmpty(besides) };
}

function readSaid(said: unknown, role: ChatRole, message: JsonObject): ChatPart[] {
  if (said === undefined || said === null || said === "") return [];
  // The plain content of a tool message is its result; Anthropic and the AI SDK have typed parts.
  const parts = (Array.isArray(said) ? said : [said]).map(readPart);
  const isPlain = parts.every(({ kind }) => kind === "text" || kind === "other");
  if (role !== "tool" || !isPlain) return parts;
  const only = parts[0];
  const result = parts.length === 1 && only?.kind === "text" ? only.text : said;
  return [readToolResult({ ...message, content: result })];
}

/** A tool result shows the id and name of its call itself. */
function leftOver(rest: JsonObject, role: ChatRole): JsonObject {
  if (role !== "tool") return rest;
  const { tool_call_id: _, toolCallId: __, id: ___, name: ____, ...others } = rest;
  return others;
}

function withoutEmpty(rest: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(rest).filter(
      ([, value]) => value !== null && value !== undefined && value !== "" && !isEmptyList(value),
    ),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Whether a value is shaped like a message: a field called `role` is not enough. */
export function looksLikeMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (typeof value.type === "string" && ITEMS.has(value.type)) return true;
  if (langChainMessage(value) !== null) return true;
  return CONTENT.some((name) => name in value) && readMessage(value) !== null;
}
