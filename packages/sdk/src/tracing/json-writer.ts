import { REDACTED } from "@agate/spans/redaction";
import { messageOf } from "./describe-thrown.ts";
import type { HiddenKeys } from "./redaction/hidden-keys.ts";
import { redactText } from "./redaction/redact-text.ts";

/** Deeper nesting is not written: the platform reads 500 levels. */
const DEEPEST = 400;

/**
 * Writes any value as JSON, as near to what it is as JSON allows. Never throws, even if getters,
 * `toJSON` methods or proxies do, and stops soon after `limit` characters.
 *
 * @example
 * const writer = new JsonWriter({ limit: 1_000 });
 * writer.write(new Map([["n", 1n]]));
 * writer.text; // {"n":1}
 */
export class JsonWriter {
  text = "";
  /** True when a hidden key, or a text with one in it, was written. */
  hasRedacted = false;
  readonly #limit: number;
  readonly #hidden: HiddenKeys | undefined;
  readonly #ancestors: object[] = [];
  readonly #path: string[] = [];

  constructor(options: { readonly limit: number; readonly hidden?: HiddenKeys | undefined }) {
    this.#limit = options.limit;
    this.#hidden = options.hidden;
  }

  /** True when something was left out at the end: the text is no JSON then. */
  get isFull(): boolean {
    return this.text.length > this.#limit;
  }

  write(value: unknown): void {
    switch (typeof value) {
      case "string":
        this.#writeText(value);
        return;
      case "number":
        this.text += Number.isFinite(value) ? String(value) : `"${value}"`;
        return;
      case "bigint":
      case "boolean":
        this.text += value;
        return;
      case "undefined":
        this.text += "null";
        return;
      case "symbol":
        this.text += JSON.stringify(String(value));
        return;
      case "function":
        this.text += tagged("Function", String(read(() => value.name)));
        return;
      case "object":
        if (value === null) this.text += "null";
        else this.#writeGuarded(value);
    }
  }

  #writeText(value: string): void {
    const hidden = this.#hidden;
    // Before it is cut: half a key would not be found.
    const shown =
      hidden === undefined ? value : redactText(value, hidden, hidden.fromTop, this.#path);
    if (shown !== value) this.hasRedacted = true;
    // One character more than the limit allows, so that a cut is noticed.
    this.text += JSON.stringify(shown.slice(0, Math.max(this.#limit - this.text.length + 1, 0)));
  }

  #writeGuarded(value: object): void {
    const ancestors = this.#ancestors;
    if (ancestors.includes(value)) this.text += tagged("Circular");
    else if (ancestors.length >= DEEPEST) this.text += tagged("Too deep");
    else {
      const before = this.text;
      const depth = this.#path.length;
      ancestors.push(value);
      try {
        this.#writeObject(value);
      } catch (error) {
        this.#path.length = depth;
        this.text = before;
        this.#writeText(label("Unreadable", messageOf(error)));
      }
      ancestors.pop();
    }
  }

  #writeObject(value: object): void {
    if (Array.isArray(value)) this.#writeList(value);
    else if (value instanceof Date) this.write(dateText(value));
    else if (value instanceof Map) this.#writeMap(value);
    else if (value instanceof Set) this.#writeList([...value]);
    else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) this.#writeBinary(value);
    else if (value instanceof Error) this.#writeError(value);
    else if ("toJSON" in value && typeof value.toJSON === "function") this.write(value.toJSON());
    else this.#writePlain(value);
  }

  #writeList(values: ArrayLike<unknown>): void {
    this.text += "[";
    for (let index = 0; index < values.length && !this.isFull; index++) {
      if (index > 0) this.text += ",";
      this.#writeMember(
        String(index),
        read(() => values[index]),
      );
    }
    this.text += "]";
  }

  #writeMap(map: ReadonlyMap<unknown, unknown>): void {
    const keys = [...map.keys()];
    if (keys.every((key) => typeof key === "string"))
      this.#writeMembers(keys, (key) => map.get(key));
    else this.#writePairs(map);
  }

  // As a list of pairs; what is hidden is still found by the key.
  #writePairs(map: ReadonlyMap<unknown, unknown>): void {
    let separator = "[";
    let index = 0;
    for (const [key, value] of map) {
      if (this.isFull) break;
      const name = nameOf(key);
      this.text += `${separator}[`;
      this.#writeMember(String(index), key);
      this.text += ",";
      this.#writeMember(name ?? String(index), value);
      this.text += "]";
      separator = ",";
      index += 1;
    }
    this.text += "]";
  }

  #writeError(error: Error): void {
    const keys = new Set(["name", "message", "cause", ...Object.keys(error)]);
    this.#writeMembers(keys, (key) => error[key as keyof Error]);
  }

  #writeBinary(value: ArrayBufferView | ArrayBuffer): void {
    if (value instanceof ArrayBuffer) this.#writeBytes(new Uint8Array(value));
    else if (value instanceof Uint8Array || value instanceof DataView) {
      this.#writeBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    } else this.#writeList(value as unknown as ArrayLike<unknown>);
  }

  #writeBytes(bytes: Uint8Array): void {
    let binary = "";
    for (const byte of bytes.subarray(0, this.#limit)) binary += String.fromCharCode(byte);
    this.write(btoa(binary));
  }

  #writePlain(value: object): void {
    const keys = Object.keys(value);
    // A stream, a promise, a signal: nothing in it to see, so what it is.
    if (keys.length === 0 && !isPlain(value)) this.text += tagged(classNameOf(value));
    else this.#writeMembers(keys, (key) => value[key as keyof object]);
  }

  #writeMembers(keys: Iterable<string>, get: (key: string) => unknown): void {
    this.text += "{";
    let separator = "";
    for (const key of keys) {
      if (this.isFull) break;
      const value = read(() => get(key));
      if (value === undefined) continue;
      this.text += `${separator}${JSON.stringify(key)}:`;
      separator = ",";
      this.#writeMember(key, value);
    }
    this.text += "}";
  }

  #writeMember(key: string, value: unknown): void {
    this.#path.push(key);
    const isHidden = this.#hidden?.fromTop(this.#path) === true;
    if (isHidden && value !== REDACTED) this.hasRedacted = true;
    this.write(isHidden ? REDACTED : value);
    this.#path.pop();
  }
}

/** What a Map's key is called; undefined of an object, which has no name. */
function nameOf(key: unknown): string | undefined {
  if (typeof key === "symbol") return key.description;
  return typeof key === "object" || typeof key === "function" ? undefined : String(key);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? "Invalid Date" : date.toISOString();
}

function classNameOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return tag === "Object" ? String(value.constructor?.name || "Object") : tag;
}

/** The value of a getter, or a text in place of one that throws. */
function read(getter: () => unknown): unknown {
  try {
    return getter();
  } catch (error) {
    return label("Unreadable", messageOf(error));
  }
}

function label(what: string, which?: string): string {
  return which ? `[${what}: ${which}]` : `[${what}]`;
}

function tagged(what: string, which?: string): string {
  return JSON.stringify(label(what, which));
}
