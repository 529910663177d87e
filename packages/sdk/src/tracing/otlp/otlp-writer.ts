import type { Secrets } from "../secrets.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

const KEY_VALUE = { key: 1, value: 2 };
const ANY_VALUE = { string: 1, bool: 2, int: 3, double: 4, array: 5, kvlist: 6, bytes: 7 };
/** Of ArrayValue and KeyValueList. */
const VALUES = 1;
const TWO_TO_63 = 2 ** 63;
const MOST_REPEATED = 1_000;
/** A longer text is content, which hardly comes twice. */
export const LONGEST_REPEATED = 256;

/** The attribute that was written last under a name, and its bytes once it has come twice in a row. */
interface Repeated {
  field: number;
  value: unknown;
  bytes: Uint8Array | undefined;
}

/** Writes what OTLP's messages have in common, without secrets. */
export class OtlpWriter extends ProtobufWriter {
  readonly #secrets: Secrets;
  /** Most attributes of a route's calls are the same in all of them, and need not be encoded again. */
  readonly #repeated = new Map<string, Repeated>();
  #secretsVersion = 0;

  constructor(secrets: Secrets) {
    super();
    this.#secrets = secrets;
  }

  override clear(): void {
    super.clear();
    const { version } = this.#secrets;
    // What was encoded may have a text in it that is a secret by now.
    if (version !== this.#secretsVersion) this.#repeated.clear();
    this.#secretsVersion = version;
  }

  /** A text that may have secrets in it. */
  cleanText(field: number, text: string): void {
    this.text(field, this.#secrets.redact(text));
  }

  /** Zero is what a reader assumes. */
  optionalInt(field: number, value: number | undefined): void {
    if (value) this.int64(field, value);
  }

  optionalText(field: number, text: string | undefined): void {
    if (text) this.text(field, text);
  }

  /** Repeated KeyValues, of the object's own keys. */
  attributes(field: number, attributes: object | null | undefined): void {
    if (!attributes) return;
    const keys = Object.keys(attributes);
    for (let index = keys.length - 1; index >= 0; index--) {
      const key = keys[index] as string;
      this.attribute(field, key, (attributes as Record<string, unknown>)[key]);
    }
  }

  attribute(field: number, key: string, value: unknown): void {
    const last = this.#repeated.get(key);
    const isRepeated = last !== undefined && last.value === value && last.field === field;
    if (isRepeated && last.bytes !== undefined) {
      this.written(last.bytes);
      return;
    }
    const mark = this.size;
    this.#anyValue(KEY_VALUE.value, value);
    this.key(KEY_VALUE.key, key);
    this.close(field, mark);
    if (isRepeated) last.bytes = this.since(mark);
    else if (mayRepeat(value)) this.#remember(last, field, key, value);
  }

  #remember(last: Repeated | undefined, field: number, key: string, value: unknown): void {
    if (last !== undefined) {
      last.field = field;
      last.value = value;
      last.bytes = undefined;
    } else if (this.#repeated.size < MOST_REPEATED) {
      this.#repeated.set(key, { field, value, bytes: undefined });
    }
  }

  #anyValue(field: number, value: unknown): void {
    const mark = this.size;
    if (typeof value === "string") this.cleanText(ANY_VALUE.string, value);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "boolean") this.int64(ANY_VALUE.bool, value ? 1 : 0);
    else if (typeof value === "object" && value !== null) this.#object(value);
    // Anything else is no value, which OTLP allows.
    this.close(field, mark);
  }

  #number(value: number): void {
    if (Number.isInteger(value) && value >= -TWO_TO_63 && value < TWO_TO_63) {
      this.int64(ANY_VALUE.int, value);
    } else this.double(ANY_VALUE.double, value);
  }

  #object(value: object): void {
    const mark = this.size;
    if (value instanceof Uint8Array) this.bytes(ANY_VALUE.bytes, value);
    else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) this.#anyValue(VALUES, value[index]);
      this.close(ANY_VALUE.array, mark);
    } else {
      this.attributes(VALUES, value);
      this.close(ANY_VALUE.kvlist, mark);
    }
  }
}

function mayRepeat(value: unknown): boolean {
  if (typeof value === "string") return value.length <= LONGEST_REPEATED;
  return typeof value === "number" || typeof value === "boolean";
}
