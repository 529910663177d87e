import type { Attributes, AttributeValue } from "../otlp-span.ts";

/**
 * How a text attribute is read. `json`: its dialect says it holds JSON. `json-items`: it is a list of
 * such texts. `sniff`: it may hold either, so only an object or a list counts as JSON. `text`: it is
 * text, even if it looks like JSON.
 */
export type TextForm = "json" | "json-items" | "sniff" | "text";

// JSON nested deeper would overflow the stack of many a client's parser; it is kept as a string.
const DEEPEST = 500;

/** A string as JSON. */
export const quoted: (text: string) => string = JSON.stringify;

/** An attribute value as JSON: bytes as base64, what JSON has no number for as a string. */
export function valueText(value: AttributeValue): string {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "number":
      return Number.isFinite(value) ? `${value}` : `"${value}"`;
    case "bigint":
    case "boolean":
      return `${value}`;
    default:
      if (value === null) return "null";
      if (value instanceof Map) return attributesText(value);
      if (value instanceof Uint8Array) return `"${base64(value)}"`;
      return listText(value as readonly AttributeValue[], valueText);
  }
}

/** A key-value list as a JSON object. Written, not built: `__proto__` is a key like any other. */
export function attributesText(attributes: Attributes): string {
  let text = "";
  for (const [key, value] of attributes) {
    text += `${text === "" ? "{" : ","}${quoted(key)}:${valueText(value)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

/** A list as JSON. */
export function listText<T>(items: readonly T[], itemText: (item: T) => string): string {
  let text = "";
  for (const item of items) text += `${text === "" ? "[" : ","}${itemText(item)}`;
  return text === "" ? "[]" : `${text}]`;
}

/** The JSON that an attribute stands for; text that holds JSON is embedded as it is, not re-read. */
export function embedded(value: AttributeValue, form: TextForm): string {
  if (typeof value === "string") {
    return (form === "text" ? null : jsonIn(value, form === "sniff")) ?? quoted(value);
  }
  if (form === "json-items" && Array.isArray(value)) {
    return listText(value as readonly AttributeValue[], (item) => embedded(item, "json"));
  }
  return valueText(value);
}

/** A JSON object in an attribute, or null when the value is anything else. */
export function embeddedObject(value: AttributeValue): string | null {
  if (value instanceof Map) return attributesText(value);
  if (typeof value !== "string" || firstCharacter(value) !== "{") return null;
  return jsonIn(value, false);
}

/** The value of JSON text that holds an object, or null. */
export function parsedObject(value: AttributeValue): Readonly<Record<string, unknown>> | null {
  const text = embeddedObject(value);
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
}

// The text itself is embedded, so that an integer over 2^53 survives.
function jsonIn(text: string, nestedOnly: boolean): string | null {
  // A thrown SyntaxError costs more than the rest of the span: text that cannot be JSON is not tried.
  const first = firstCharacter(text);
  if (first === "" || !(nestedOnly ? "{[" : '{["-0123456789tfn').includes(first)) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  // A level takes two characters at least.
  if (text.length > 2 * DEEPEST && isDeeperThan(value, DEEPEST)) return null;
  // JSON has line breaks only between tokens. Without them a record is one line, as event streams
  // and newline-delimited files need it.
  return text.includes("\n") || text.includes("\r") ? text.replace(/[\n\r]+/g, "") : text;
}

function firstCharacter(text: string): string {
  const first = text.charAt(0);
  return first === " " || first === "\n" || first === "\r" || first === "\t"
    ? text.trimStart().charAt(0)
    : first;
}

// Level by level, not recursively: the depth is the client's to choose.
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === limit) return true;
    const below: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const inner of Object.values(item)) {
        if (typeof inner === "object" && inner !== null) below.push(inner);
      }
    }
    level = below;
  }
  return false;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The digits' character codes. */
const CODES = Array.from(DIGITS, (digit) => digit.charCodeAt(0));
/** Bytes per call, a multiple of three: the number of arguments of a call is limited. */
const PIECE = 3072;

/** Bytes as base64. Its own, as there is no function for it that every runtime has. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += PIECE) {
    const end = Math.min(from + PIECE, bytes.length);
    const codes: number[] = [];
    for (let at = from; at < end; at += 3) {
      // What lies past the end is undefined, which a shift and an `or` take for 0.
      const three = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
      codes.push(
        CODES[three >> 18]!,
        CODES[(three >> 12) & 63]!,
        CODES[(three >> 6) & 63]!,
        CODES[three & 63]!,
      );
    }
    text += String.fromCharCode(...codes);
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return missing === 0 ? text : text.slice(0, -missing) + "=".repeat(missing);
}
