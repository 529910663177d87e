import { toBinaryDate } from "./day.ts";
import { toStorable } from "./value-types.ts";

// PostgreSQL's binary COPY format: a signature, rows of fields with their lengths, an end mark.

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const END = -1;
const NULL = -1;
const FIRST_ROOM = 64 * 1024;
/** Most bytes that a character of a JavaScript string takes. */
const BYTES_PER_UNIT = 3;
const TWO_32 = 2 ** 32;

/** Rows for one `COPY … FROM STDIN (FORMAT binary)`, written field by field. */
export class CopyRows {
  #buffer = Buffer.allocUnsafe(FIRST_ROOM);
  #at = SIGNATURE.copy(this.#buffer);
  #rows = 0;

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  /** Begins a row with this number of fields, which must follow. */
  row(fields: number): this {
    this.#rows++;
    this.#reserve(2);
    this.#at = this.#buffer.writeInt16BE(fields, this.#at);
    return this;
  }

  int2(value: number): this {
    this.#reserve(6);
    this.#at = this.#buffer.writeInt32BE(2, this.#at);
    this.#at = this.#buffer.writeInt16BE(value, this.#at);
    return this;
  }

  int4(value: number | null): this {
    if (value === null) return this.#null();
    this.#reserve(8);
    this.#at = this.#buffer.writeInt32BE(4, this.#at);
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
    return this;
  }

  int8(value: number | null): this {
    if (value === null) return this.#null();
    this.#reserve(12);
    this.#at = this.#buffer.writeInt32BE(8, this.#at);
    this.#at = this.#buffer.writeInt32BE(Math.floor(value / TWO_32), this.#at);
    this.#at = this.#buffer.writeUInt32BE(value - Math.floor(value / TWO_32) * TWO_32, this.#at);
    return this;
  }

  float8(value: number | null): this {
    if (value === null) return this.#null();
    this.#reserve(12);
    this.#at = this.#buffer.writeInt32BE(8, this.#at);
    this.#at = this.#buffer.writeDoubleBE(value, this.#at);
    return this;
  }

  /** @param day Days since 1970. */
  date(day: number): this {
    return this.int4(toBinaryDate(day));
  }

  text(value: string | null): this {
    if (value === null) return this.#null();
    const storable = toStorable(value);
    this.#reserve(4 + storable.length * BYTES_PER_UNIT);
    const length = this.#buffer.write(storable, this.#at + 4);
    this.#buffer.writeInt32BE(length, this.#at);
    this.#at += 4 + length;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#reserve(4 + value.length);
    this.#at = this.#buffer.writeInt32BE(value.length, this.#at);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  /** The complete data. No row may follow. */
  finish(): Buffer {
    this.#reserve(2);
    this.#at = this.#buffer.writeInt16BE(END, this.#at);
    return this.#buffer.subarray(0, this.#at);
  }

  #null(): this {
    this.#reserve(4);
    this.#at = this.#buffer.writeInt32BE(NULL, this.#at);
    return this;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const wider = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(wider, 0, 0, this.#at);
    this.#buffer = wider;
  }
}
