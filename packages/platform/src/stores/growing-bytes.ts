const FIRST_BYTES = 64 * 1024;
/** More than this is given back after one long text. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024;
/** Of UTF-8, for each unit of UTF-16 at most. */
const BYTES_PER_CHARACTER = 3;
/** For longer texts it is worth it to find out how many bytes they have. */
const MOST_GUESSED = 16 * 1024;

/** Bytes that are written one after the other, to memory that is used again. */
export class GrowingBytes {
  bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** How many are written. */
  length = 0;

  /** Makes room for so many more. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** A lone surrogate becomes U+FFFD. */
  write(text: string): void {
    const { length } = text;
    this.reserve(length > MOST_GUESSED ? Buffer.byteLength(text) : BYTES_PER_CHARACTER * length);
    this.length += this.bytes.write(text, this.length);
  }

  /** What was written, in memory of its own; what is written next is without it. */
  take(): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, this.length));
    this.clear();
    return taken;
  }

  /** What is written next is without what was written. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > MOST_KEPT_BYTES) this.bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }
}
