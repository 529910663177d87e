/** A part of a message, in a form independent of the client that recorded it. */
export type ChatPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | {
      readonly kind: "tool-call";
      readonly name: string | null;
      readonly id: string | null;
      readonly arguments: unknown;
    }
  | {
      readonly kind: "tool-result";
      readonly name: string | null;
      readonly id: string | null;
      readonly result: unknown;
    }
  /** An image, file or sound: described, never loaded. */
  | { readonly kind: "media"; readonly what: string; readonly about: readonly string[] }
  | { readonly kind: "other"; readonly value: unknown };

const TEXTS = new Set(["text", "input_text", "output_text"]);
const REASONINGS = new Set(["reasoning", "thinking", "redacted_thinking"]);
const CALLS = new Set(["tool_call", "tool-call", "tool_use", "server_tool_use", "function_call"]);
const RESULTS = new Set([
  "tool_call_response",
  "tool-result",
  "tool_result",
  "function_call_output",
  "function_call_result",
  "server_tool_call_response",
]);
const MEDIA: ReadonlyMap<string, string> = new Map([
  ["image", "Image"],
  ["image_url", "Image"],
  ["input_image", "Image"],
  ["image-data", "Image"],
  ["image-url", "Image"],
  ["audio", "Audio"],
  ["input_audio", "Audio"],
  ["video", "Video"],
  ["file", "File"],
  ["input_file", "File"],
  ["document", "File"],
  ["blob", "File"],
  ["uri", "File"],
  ["media", "File"],
]);

/** @example readPart({ type: "text", text: "Hi" }) // { kind: "text", text: "Hi" } */
export function readPart(part: unknown): ChatPart {
  if (typeof part === "string") return { kind: "text", text: part };
  if (!isObject(part)) return { kind: "other", value: part };
  const type = typeof part.type === "string" ? part.type : null;
  const read =
    type === null ? readUntyped(part) : TEXTS.has(type) ? readText(part) : readTyped(type, part);
  return read ?? { kind: "other", value: part };
}

/** Reads the tool calls of OpenAI, Anthropic, the AI SDK and OpenTelemetry. */
export function readToolCall(call: unknown): ChatPart {
  if (!isObject(call)) return { kind: "other", value: call };
  const inner = isObject(call.function) ? call.function : call;
  const name = text(inner.name) ?? text(call.toolName);
  const given = inner.arguments ?? call.arguments ?? call.input ?? call.args ?? null;
  if (name === null && given === null) return { kind: "other", value: call };
  return { kind: "tool-call", name, id: idOf(call), arguments: parsed(given) };
}

export function readToolResult(result: JsonObject): ChatPart {
  const given = result.response ?? result.result ?? result.output ?? result.content ?? null;
  return {
    kind: "tool-result",
    name: text(result.toolName) ?? text(result.name),
    id: text(result.tool_use_id) ?? idOf(result),
    result: parsed(unwrapped(given)),
  };
}

function readText(part: JsonObject): ChatPart | null {
  const words = text(part.text) ?? text(part.content);
  return words === null ? null : { kind: "text", text: words };
}

function readTyped(type: string, part: JsonObject): ChatPart | null {
  if (REASONINGS.has(type)) return { kind: "reasoning", text: reasoningText(part) };
  if (CALLS.has(type)) return readToolCall(part);
  if (RESULTS.has(type)) return readToolResult(part);
  const what = MEDIA.get(type);
  return what === undefined ? null : readMedia(what, part);
}

// Gemini's, Bedrock's and Genkit's parts have no type: the field name tells it.
function readUntyped(part: JsonObject): ChatPart | null {
  if (isObject(part.toolRequest)) return readToolCall(part.toolRequest);
  if (isObject(part.toolResponse)) return readToolResult(part.toolResponse);
  if (typeof part.reasoning === "string") return { kind: "reasoning", text: part.reasoning };
  if (isObject(part.functionCall)) return readToolCall(part.functionCall);
  if (isObject(part.functionResponse)) return readToolResult(part.functionResponse);
  if (isObject(part.toolUse)) return readToolCall(part.toolUse);
  if (isObject(part.toolResult)) return readToolResult(part.toolResult);
  if (isObject(part.image)) return readMedia("Image", part.image);
  if (isObject(part.document)) return readMedia("File", part.document);
  if (isObject(part.inlineData)) return readMedia("File", part.inlineData);
  if (isObject(part.fileData)) return readMedia("File", part.fileData);
  if (typeof part.text !== "string") return null;
  return { kind: part.thought === true ? "reasoning" : "text", text: part.text };
}

function reasoningText(part: JsonObject): string {
  const words = text(part.text) ?? text(part.thinking) ?? text(part.content);
  if (words !== null) return words;
  const summary = Array.isArray(part.summary) ? part.summary : [];
  return summary.flatMap((each) => (isObject(each) ? (text(each.text) ?? []) : [])).join("\n\n");
}

function readMedia(what: string, part: JsonObject): ChatPart {
  const places = [
    part,
    part.source,
    part.image_url,
    part.input_audio,
    part.file,
    part.image,
    isObject(part.image) ? part.image.image : null,
  ].filter(isObject);
  const members = (names: readonly string[]) =>
    places.flatMap((place) => names.flatMap((name) => text(place[name]) ?? []));
  const type = members(["mime_type", "mimeType", "mediaType", "media_type", "modality", "format"]);
  const name = members(["filename", "file_name", "name", "file_id", "fileId", "title"]);
  const content = [
    ...members(["url", "uri", "fileUri", "data", "file_data", "content"]),
    ...[part.image, part.image_url, part.file].flatMap((each) => text(each) ?? []),
  ].map(aboutContent);
  const kind = MEDIA.get(type[0]?.split("/")[0] ?? "") ?? what;
  const about = new Set([...name, ...type, ...content]);
  about.delete(kind.toLowerCase());
  return { kind: "media", what: kind, about: [...about] };
}

/** A URL as it is; for inline data only the size. */
function aboutContent(content: string): string {
  const isAddress = /^(?:https?|gs|s3|file):/i.test(content);
  if (isAddress) return content.length > 120 ? `${content.slice(0, 120)}…` : content;
  const type = /^data:([\w.+-]+\/[\w.+-]+)/.exec(content)?.[1];
  const size = `${content.length.toLocaleString("en")} characters`;
  return type === undefined ? size : `${type}, ${size}`;
}

function idOf(part: JsonObject): string | null {
  return (
    text(part.toolCallId) ??
    text(part.toolUseId) ??
    text(part.tool_call_id) ??
    text(part.call_id) ??
    text(part.id) ??
    text(part.ref)
  );
}

/** The AI SDK wraps results in `{ type: "json", value }`; Anthropic, Bedrock and MCP in parts. */
function unwrapped(result: unknown): unknown {
  if (Array.isArray(result)) return partsText(result) ?? result;
  return isObject(result) && typeof result.type === "string" && "value" in result
    ? result.value
    : result;
}

/** The joined text of text parts; null if there are other parts. */
function partsText(parts: readonly unknown[]): string | null {
  const read = parts.map((part) => (isObject(part) ? readPart(part) : null));
  const words = read.flatMap((part) => (part?.kind === "text" ? part.text : []));
  return words.length > 0 && words.length === parts.length ? words.join("\n\n") : null;
}

/** Parses JSON in a string. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // Plain text, or truncated JSON.
    return value;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The string, or null for anything else. */
export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
