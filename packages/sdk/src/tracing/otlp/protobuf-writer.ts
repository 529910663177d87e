const FIRST_BYTES = 64 * 1024;
/** A larger buffer, left by a batch of large spans, is given back. */
const MOST_KEPT_BYTES = 1024 * 1024;
/** From this length on, the runtime's own encoder is faster than a loop. */
const LONG_TEXT = 16;
const MOST_KEPT_KEYS = 1_000;
const LONGEST_KEPT_KEY = 100;
const TWO_TO_32 = 2 ** 32;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/**
 * Writes protobuf from the last byte to the first: when a message's length is to be written, it is
 * known, and nothing is measured beforehand or moved afterwards. Fields and elements are therefore
 * written last one first. One buffer serves all messages.
 */
export class ProtobufWriter {
  readonly #encoder = new TextEncoder();
  /** The bytes of texts that come again and again. */
  readonly #keys = new Map<string, Uint8Array>();
  #bytes = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);
  /** How many bytes are free; what is written begins there. */
  #free = 0;

  /** How many bytes are written: a mark for {@link close}. */
  get size(): number {
    return this.#bytes.length - this.#free;
  }

  /** Gives what is written, in memory of its own, and forgets it. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(this.#free);
    this.clear();
    return taken;
  }

  clear(): void {
    if (this.#bytes.length > MOST_KEPT_BYTES) this.#replaceBuffer(0);
    this.#free = this.#bytes.length;
  }

  /** A copy of what was written since `mark`. */
  protected since(mark: number): Uint8Array {
    return this.#bytes.slice(this.#free, this.#bytes.length - mark);
  }

  /** Writes what {@link since} gave. */
  protected written(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Makes a message, a text or bytes of all that was written since `mark`. */
  close(field: number, mark: number): void {
    this.#varint(this.size - mark);
    this.#varint((field << 3) | BYTES);
  }

  text(field: number, text: string): void {
    const mark = this.size;
    this.#utf8(text);
    this.close(field, mark);
  }

  /** A text that is likely to come again. */
  key(field: number, text: string): void {
    const known = this.#keys.get(text);
    if (known !== undefined) {
      this.bytes(field, known);
      return;
    }
    this.text(field, text);
    if (this.#keys.size < MOST_KEPT_KEYS && text.length <= LONGEST_KEPT_KEY) {
      this.#keys.set(text, this.#encoder.encode(text));
    }
  }

  bytes(field: number, bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    this.#varint(bytes.length);
    this.#varint((field << 3) | BYTES);
  }

  /** Bytes given in hex. What is not hex becomes no bytes at all, which no reader takes for an id. */
  hex(field: number, text: string): void {
    const length = text.length >> 1;
    const start = this.#reserve(length);
    let seen = 0;
    for (let index = 0; index < length; index++) {
      const high = hexDigit(text.charCodeAt(2 * index));
      const low = hexDigit(text.charCodeAt(2 * index + 1));
      seen |= high | low;
      this.#bytes[start + index] = (high << 4) | low;
    }
    const isHex = seen >= 0 && text.length % 2 === 0;
    if (!isHex) this.#free += length;
    this.#varint(isHex ? length : 0);
    this.#varint((field << 3) | BYTES);
  }

  /** An integer from -2^63 up to, not including, 2^63. */
  int64(field: number, value: number): void {
    if (value >= 0 && value < TWO_TO_32) this.#varint(value);
    else this.#longVarint(value);
    this.#varint((field << 3) | VARINT);
  }

  double(field: number, value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value, true);
    this.#varint((field << 3) | FIXED64);
  }

  fixed32(field: number, value: number): void {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, true);
    this.#varint((field << 3) | FIXED32);
  }

  /** Seconds and nanoseconds as one number of nanoseconds. */
  nanoseconds(field: number, seconds: number, nanos: number): void {
    const at = this.#reserve(8);
    const low = (Math.imul(seconds, 1e9) + nanos) >>> 0;
    // The sum is some hundreds off at most, and without its low half it is a multiple of 2^32.
    const high = Math.round((seconds * 1e9 + nanos - low) / TWO_TO_32);
    this.#view.setUint32(at, low, true);
    this.#view.setUint32(at + 4, high, true);
    this.#varint((field << 3) | FIXED64);
  }

  #varint(value: number): void {
    if (value < 0x80) {
      const at = this.#reserve(1);
      this.#bytes[at] = value;
      return;
    }
    const length = value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : value < 2 ** 28 ? 4 : 5;
    let at = this.#reserve(length);
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[at++] = rest | 0x80;
    this.#bytes[at] = rest;
  }

  #longVarint(value: number): void {
    let high = Math.floor(value / TWO_TO_32);
    let low = value - high * TWO_TO_32;
    high >>>= 0;
    const groups: number[] = [];
    while (high > 0 || low >= 0x80) {
      groups.push((low & 0x7f) | 0x80);
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    groups.push(low);
    const at = this.#reserve(groups.length);
    this.#bytes.set(groups, at);
  }

  #utf8(text: string): void {
    const { length } = text;
    if (length < LONG_TEXT && this.#ascii(text)) return;
    if (length > this.#free / 3) this.#grow(3 * length);
    // To the beginning, where there is room however long it gets, and then to its place.
    const { written } = this.#encoder.encodeInto(text, this.#bytes);
    const at = this.#reserve(written);
    this.#bytes.copyWithin(at, 0, written);
  }

  #ascii(text: string): boolean {
    const start = this.#reserve(text.length);
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) {
        this.#free += text.length;
        return false;
      }
      this.#bytes[start + index] = code;
    }
    return true;
  }

  /** Reserves bytes and returns their offset. May replace the buffer. */
  #reserve(length: number): number {
    if (length > this.#free) this.#grow(length);
    this.#free -= length;
    return this.#free;
  }

  #grow(length: number): void {
    const written = this.#bytes.subarray(this.#free);
    this.#replaceBuffer(Math.max(FIRST_BYTES, 2 * this.#bytes.length + length));
    this.#free = this.#bytes.length - written.length;
    this.#bytes.set(written, this.#free);
  }

  #replaceBuffer(length: number): void {
    this.#bytes = new Uint8Array(length);
    this.#view = new DataView(this.#bytes.buffer);
  }
}

const HEX_DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);

/** -1 for what is none. */
function hexDigit(code: number): number {
  return code < HEX_DIGITS.length ? (HEX_DIGITS[code] as number) : -1;
}
