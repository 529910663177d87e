import type { Instant } from "@agate/spans";
import { instantFromDigits, instantFromNumber } from "./instant.ts";
import { Undecodable } from "./undecodable.ts";

/** A parsed JSON object. Its keys are only ever compared, never followed: `__proto__` is data. */
export type JsonObject = Readonly<Record<string, unknown>>;

const LONGEST_PATH = 160;

/**
 * Reads fields of parsed JSON strictly by type, and knows where it is: a field of the wrong type is
 * reported with its path. `key` is always a field name of OTLP, so a path holds no client input.
 */
export class JsonReader {
  readonly #path: (string | number)[] = [];

  object(key: string, value: unknown): JsonObject {
    return isObject(value) ? value : this.fail(key, "an object");
  }

  string(key: string, value: unknown): string {
    // An unpaired surrogate is JSON's way to be invalid UTF-8.
    return typeof value === "string" ? value.toWellFormed() : this.fail(key, "a string");
  }

  bool(key: string, value: unknown): boolean {
    return typeof value === "boolean" ? value : this.fail(key, "true or false");
  }

  instant(key: string, value: unknown): Instant {
    let instant: Instant | null = null;
    if (typeof value === "string") instant = instantFromDigits(value);
    else if (typeof value === "bigint") instant = instantFromDigits(String(value));
    else if (typeof value === "number") instant = instantFromNumber(value);
    return instant ?? this.fail(key, "nanoseconds since 1970 as an unsigned 64-bit integer");
  }

  /** Reads with one of the functions of json-scalars. */
  scalar<T>(key: string, value: unknown, parse: (value: unknown) => T | null, what: string): T {
    return parse(value) ?? this.fail(key, what);
  }

  /** Reads an object field with `read`, during which the path is extended by the field. */
  within(key: string, value: unknown, read: (object: JsonObject) => void): void {
    const object = this.object(key, value);
    this.#path.push(key);
    read(object);
    this.#path.pop();
  }

  /** Reads every element of a list with `read`, likewise. */
  each(key: string, value: unknown, read: (item: unknown) => void): void {
    if (!Array.isArray(value)) this.fail(key, "a list");
    const list: readonly unknown[] = value;
    const indexAt = this.#path.push(key, 0) - 1;
    for (let i = 0; i < list.length; i += 1) {
      this.#path[indexAt] = i;
      read(list[i]);
    }
    this.#path.length -= 2;
  }

  /** Reads every element of a list of objects. */
  eachObject(key: string, value: unknown, read: (object: JsonObject) => void): void {
    this.each(key, value, (item) => read(this.object("", item)));
  }

  /** Ends the decoding: the field, or with an empty `key` the present place, is at fault. */
  fail(key: string, expected: string): never {
    let path = "";
    for (const segment of key === "" ? this.#path : [...this.#path, key]) {
      if (typeof segment === "number") path += `[${segment}]`;
      else path += path === "" ? segment : `.${segment}`;
    }
    if (path.length > LONGEST_PATH) path = `${path.slice(0, 80)}…${path.slice(-79)}`;
    throw new Undecodable(path === "" ? `expected ${expected}` : `${path}: expected ${expected}`);
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
