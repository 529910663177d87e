import { WireReader } from "./wire-reader.ts";

const SLOTS = 512;
const LONGEST = 48;

/**
 * Attribute keys, and many short values, repeat from span to span. One that came before in the same
 * request is found by comparing bytes: cheaper than decoding it, less memory, and Maps can reuse the
 * string's hash. A collision only costs a decoding: the newer text takes the slot.
 */
export class RepeatedText {
  /** Where in the request the text of each slot starts, and how many bytes it has. */
  readonly #starts = new Int32Array(SLOTS);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #texts: string[] = new Array<string>(SLOTS).fill("");

  read(reader: WireReader): string {
    const end = reader.lengthEnd();
    const start = reader.pos;
    const length = end - start;
    if (length === 0 || length > LONGEST) return reader.textTo(end);
    const { bytes } = reader;
    const slot = slotOf(bytes, start, length);
    if (this.#lengths[slot] === length) {
      const known = this.#starts[slot] as number;
      let i = 0;
      while (i < length && bytes[known + i] === bytes[start + i]) i += 1;
      if (i === length) {
        reader.pos = end;
        return this.#texts[slot] as string;
      }
    }
    const text = reader.textTo(end);
    this.#starts[slot] = start;
    this.#lengths[slot] = length;
    this.#texts[slot] = text;
    return text;
  }
}

/** Four bytes tell most keys apart: families differ at their end, or in the middle by an index. */
function slotOf(bytes: Uint8Array, start: number, length: number): number {
  const last = start + length - 1;
  let hash = length;
  hash = hash * 31 + (bytes[last] as number);
  hash = hash * 31 + (bytes[start + (length >> 1)] as number);
  hash = hash * 31 + (bytes[last - (length >> 2)] as number);
  hash = hash * 31 + (bytes[start + (length >> 2)] as number);
  return (hash ^ (hash >>> 9)) & (SLOTS - 1);
}

/** Reads ids as hex. One that equals the id before it, as in the spans of a trace, costs nothing. */
class RepeatedId {
  #start = 0;
  #length = 0;
  #hex = "";

  read(reader: WireReader): string {
    const end = reader.lengthEnd();
    const start = reader.pos;
    const length = end - start;
    if (length === this.#length) {
      const { bytes } = reader;
      const known = this.#start;
      let i = 0;
      while (i < length && bytes[known + i] === bytes[start + i]) i += 1;
      if (i === length) {
        reader.pos = end;
        return this.#hex;
      }
    }
    this.#start = start;
    this.#length = length;
    this.#hex = reader.hexTo(end);
    return this.#hex;
  }
}

/** A wire reader for one request that does not decode again what repeats from span to span. */
export class OtlpWireReader extends WireReader {
  readonly #texts = new RepeatedText();
  readonly #traceIds = new RepeatedId();
  readonly #parentSpanIds = new RepeatedId();

  /** Reads a string that is likely to have come before: an attribute's key or value. */
  repeatedString(): string {
    return this.#texts.read(this);
  }

  traceId(): string {
    return this.#traceIds.read(this);
  }

  parentSpanId(): string {
    return this.#parentSpanIds.read(this);
  }
}
