import { Buffer } from "node:buffer";
import type { Instant } from "@agate/spans";
import { MAX_GROUP_DEPTH, tooManyValues, Undecodable } from "./decode-outcome.ts";
import { instantFromUint64 } from "./span-fields.ts";

/** Protobuf wire types, the low three bits of a tag. */
const WIRE = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 };

/**
 * Reads protobuf's wire format. Every read is checked against the end of the innermost message,
 * so that a lying length cannot reach into the bytes of its neighbours.
 */
export class WireReader {
  readonly bytes: Uint8Array;
  /** Where the next read starts. */
  pos = 0;
  /** Where the innermost open message ends. */
  end: number;
  /** Sub-messages that were opened so far, and how many may be. */
  #entered = 0;
  readonly #maxMessages: number;
  readonly #view: DataView;
  readonly #text: Buffer;
  /** The varint last read by `#longVarint`, as two unsigned 32-bit halves. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array, maxMessages = Number.POSITIVE_INFINITY) {
    this.#maxMessages = maxMessages;
    // A view of our own: slice() of a Buffer would share its memory instead of copying.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.byteLength;
  }

  /** Opens a sub-message; the result is to be given to `leave` when it has been read to its end. */
  enter(): number {
    const outer = this.end;
    this.#entered++;
    if (this.#entered > this.#maxMessages) throw tooManyValues(this.#maxMessages);
    this.end = this.lengthEnd();
    return outer;
  }

  leave(outer: number): void {
    this.end = outer;
  }

  /** Reads the tag of the next field: its number times eight, plus its wire type. */
  tag(): number {
    const { pos } = this;
    if (pos < this.end) {
      const first = this.bytes[pos] as number;
      if (first < 0x80 && first > 7) {
        this.pos = pos + 1;
        return first;
      }
    }
    this.#longVarint();
    if (this.#high !== 0 || this.#low < 8) this.fail("invalid field number", pos);
    return this.#low;
  }

  /** Reads a length and gives the position where the bytes of that length end. */
  lengthEnd(): number {
    const length = this.uint32();
    const end = this.pos + length;
    if (this.#high !== 0 || end > this.end) this.fail("a length reaches beyond its message");
    return end;
  }

  /** Reads a varint, cut to its low 32 bits as protobuf does for 32-bit types. */
  uint32(): number {
    const { pos } = this;
    if (pos < this.end) {
      const first = this.bytes[pos] as number;
      if (first < 0x80) {
        this.pos = pos + 1;
        this.#high = 0;
        return first;
      }
    }
    this.#longVarint();
    return this.#low;
  }

  bool(): boolean {
    return this.uint32() !== 0 || this.#high !== 0;
  }

  /** Reads a signed 64-bit varint: a number where that is exact, else a bigint. */
  int64(): number | bigint {
    const low = this.uint32();
    const high = this.#high | 0;
    const value = high * 2 ** 32 + low;
    return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
  }

  fixed32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  double(): number {
    return this.#view.getFloat64(this.#advance(8), true);
  }

  /** Reads fixed64 nanoseconds since 1970. */
  instant(): Instant {
    const at = this.#advance(8);
    return instantFromUint64(this.#view.getUint32(at, true), this.#view.getUint32(at + 4, true));
  }

  /** Reads a string; bytes that are not UTF-8 become U+FFFD. */
  string(): string {
    return this.textTo(this.lengthEnd());
  }

  /** Reads the bytes up to `end` as a string; `end` comes from `lengthEnd`. */
  textTo(end: number): string {
    const start = this.pos;
    this.pos = end;
    return start === end ? "" : this.#text.toString("utf8", start, end);
  }

  /** Reads bytes as lower-case hex. */
  hex(): string {
    return this.hexTo(this.lengthEnd());
  }

  /** Reads the bytes up to `end` as lower-case hex; `end` comes from `lengthEnd`. */
  hexTo(end: number): string {
    const start = this.pos;
    this.pos = end;
    return this.#text.toString("hex", start, end);
  }

  /** Reads bytes into memory of their own. */
  copyBytes(): Uint8Array {
    const end = this.lengthEnd();
    const start = this.pos;
    this.pos = end;
    return this.bytes.slice(start, end);
  }

  /** Passes over the field whose tag was just read. */
  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === WIRE.startGroup) this.#skipGroup(tag);
    else this.#skipScalar(wireType);
  }

  fail(what: string, at: number = this.pos): never {
    throw new Undecodable(`not an OTLP protobuf message at byte ${at}: ${what}`);
  }

  #skipScalar(wireType: number): void {
    switch (wireType) {
      case WIRE.varint:
        this.uint32();
        break;
      case WIRE.fixed64:
        this.#advance(8);
        break;
      case WIRE.bytes:
        this.pos = this.lengthEnd();
        break;
      case WIRE.fixed32:
        this.#advance(4);
        break;
      default:
        this.fail(`unexpected wire type ${wireType}`);
    }
  }

  /** Without recursion: a group's start takes one byte, so a small body can nest very many. */
  #skipGroup(startTag: number): void {
    const open = [startTag];
    while (open.length > 0) {
      const tag = this.tag();
      const wireType = tag & 7;
      if (wireType === WIRE.startGroup) {
        if (open.length === MAX_GROUP_DEPTH) this.fail("groups are nested too deep");
        open.push(tag);
      } else if (wireType === WIRE.endGroup) {
        if (open.pop() !== tag - WIRE.endGroup + WIRE.startGroup) this.fail("a group ends wrongly");
      } else {
        this.#skipScalar(wireType);
      }
    }
  }

  #advance(size: number): number {
    const { pos } = this;
    if (pos + size > this.end) this.fail("a field reaches beyond its message");
    this.pos = pos + size;
    return pos;
  }

  #longVarint(): void {
    const { bytes, end } = this;
    let { pos } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (pos >= end) this.fail("a number reaches beyond its message");
      const byte = bytes[pos++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.pos = pos;
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    this.fail("a number of more than ten bytes");
  }
}
