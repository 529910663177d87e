import { cutText } from "./cut-text.ts";

/** A preview has at most this many characters (UTF-16 code units, as JavaScript counts them). */
export const PREVIEW_CHARACTERS = 300;

const DEEPEST = 4;

/**
 * The beginning of a recorded value on one line, for people: of a conversation the last message, of
 * an object with a single field that field. However large the value is, little of it is read.
 *
 * @example previewText({ question: "What is agate?" }) // "What is agate?"
 */
export function previewText(value: unknown, most: number = PREVIEW_CHARACTERS): string {
  const line = new Line(most);
  write(line, value, 0);
  return line.text();
}

class Line {
  readonly #most: number;
  #text = "";

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#text.length > this.#most;
  }

  add(text: string): void {
    if (this.isFull) return;
    const line = cutText(text, 4 * this.#most).replaceAll(/\s+/g, " ");
    this.#text = this.#text === "" ? line.trimStart() : this.#text + line;
  }

  text(): string {
    return cutText(this.#text.trimEnd(), this.#most);
  }
}

function write(line: Line, value: unknown, depth: number): void {
  if (line.isFull || value === null || value === undefined) return;
  if (typeof value !== "object") line.add(String(value));
  // A message may hold messages in turn, to any depth.
  else if (depth > DEEPEST) line.add("…");
  else writeObject(line, value, depth);
}

function writeObject(line: Line, value: object, depth: number): void {
  const message = lastMessage(Array.isArray(value) ? value : fieldOf(value, "messages"));
  if (message !== undefined) write(line, message, depth + 1);
  else if (Array.isArray(value)) writeAll(line, value, depth);
  else writeFields(line, Object.entries(value), depth);
}

function writeFields(line: Line, all: readonly [string, unknown][], depth: number): void {
  const fields = all.filter(([, value]) => value !== null);
  for (const [n, [name, value]] of fields.entries()) {
    if (line.isFull) return;
    if (fields.length > 1) line.add(`${n === 0 ? "" : ", "}${name}: `);
    write(line, value, depth + 1);
  }
}

function writeAll(line: Line, values: readonly unknown[], depth: number): void {
  for (const [n, each] of values.entries()) {
    if (line.isFull) return;
    if (n > 0) line.add(", ");
    write(line, each, depth + 1);
  }
}

/** The content of the last chat message that has any: text, or parts with a text. */
function lastMessage(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  const last = value.findLast((each) => isMessage(each) && saysSomething(contentOf(each)));
  return last === undefined ? undefined : contentOf(last);
}

function isMessage(value: unknown): boolean {
  return typeof fieldOf(value, "role") === "string";
}

function contentOf(message: unknown): unknown {
  const content = fieldOf(message, "content") ?? fieldOf(message, "parts");
  if (!Array.isArray(content)) return content;
  const texts = content.map((part) => fieldOf(part, "text") ?? fieldOf(part, "content"));
  return texts.filter((text) => typeof text === "string").join(" ");
}

function saysSomething(content: unknown): boolean {
  return content !== undefined && content !== null && content !== "";
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
