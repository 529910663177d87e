const LONGEST = 240;
const DEEPEST = 4;

/**
 * The beginning of a recorded value on one line, for people: of a conversation the last message, of
 * an object with a single field that field. However large the value is, little of it is read.
 *
 * @example previewOf({ question: "What is agate?" }) // "What is agate?"
 */
export function previewOf(value: unknown): string {
  const line = new Line();
  write(line, value, 0);
  return line.text();
}

class Line {
  #text = "";

  get isFull(): boolean {
    return this.#text.length > LONGEST;
  }

  add(text: string): void {
    if (!this.isFull) this.#text += text.slice(0, 4 * LONGEST).replaceAll(/\s+/g, " ");
  }

  text(): string {
    const text = this.#text.trim();
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  }
}

function write(line: Line, value: unknown, depth: number): void {
  if (line.isFull || value === null || value === undefined) return;
  const message = lastMessage(Array.isArray(value) ? value : fieldOf(value, "messages"));
  if (typeof value !== "object") line.add(String(value));
  else if (message !== undefined) write(line, message, depth);
  else if (depth > DEEPEST) line.add("…");
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
