// ClickHouse's Native format: a block is the number of its columns and rows, then column by column its name, its
// type and all of its values.

/** The types that are written. ClickHouse converts a text for a column of low cardinality itself. */
export type NativeType =
  | "String"
  | "Nullable(String)"
  | "UInt16"
  | "UInt64"
  | "Int64"
  | "Nullable(Int64)"
  | "Nullable(Float64)";

export interface NativeColumn {
  readonly name: string;
  readonly type: NativeType;
}

/** Bytes that are written to one piece of memory, unless a single text is longer. */
const PIECE_BYTES = 1024 * 1024;
const LONGEST_VARINT = 10;
const TWO_32 = 2 ** 32;

/**
 * Rows as one block.
 *
 * @param rows Values in the order of the columns. A number that JSON has no text for is taken for null, as
 *   `JSON.stringify` does; a lone surrogate becomes U+FFFD.
 * @returns Pieces that follow each other.
 */
export function nativeBlock(
  columns: readonly NativeColumn[],
  rows: readonly (readonly unknown[])[],
): readonly Buffer[] {
  const writer = new PieceWriter();
  writer.varint(columns.length);
  writer.varint(rows.length);
  for (const [n, { name, type }] of columns.entries()) {
    writer.text(name);
    writer.text(type);
    writeValues(writer, type, rows, n);
  }
  return writer.pieces();
}

function writeValues(
  writer: PieceWriter,
  type: NativeType,
  rows: readonly (readonly unknown[])[],
  n: number,
): void {
  switch (type) {
    case "String":
      for (const row of rows) writer.text(row[n] as string);
      break;
    case "Nullable(String)":
      for (const row of rows) writer.byte(row[n] === null ? 1 : 0);
      for (const row of rows) writer.text((row[n] as string | null) ?? "");
      break;
    case "UInt16":
      for (const row of rows) writer.uint16(row[n] as number);
      break;
    case "UInt64":
    case "Int64":
      for (const row of rows) writer.int64(row[n] as number);
      break;
    case "Nullable(Int64)":
      for (const row of rows) writer.byte(row[n] === null ? 1 : 0);
      for (const row of rows) writer.int64((row[n] as number | null) ?? 0);
      break;
    case "Nullable(Float64)":
      for (const row of rows) writer.byte(Number.isFinite(row[n]) ? 0 : 1);
      // Adding 0 makes -0 what it is in JSON.
      for (const row of rows) writer.float64(Number.isFinite(row[n]) ? (row[n] as number) + 0 : 0);
  }
}

/** Writes values to pieces of memory: one buffer that grows would be copied again and again. */
class PieceWriter {
  readonly #full: Buffer[] = [];
  #piece = Buffer.allocUnsafe(PIECE_BYTES);
  #at = 0;

  pieces(): readonly Buffer[] {
    return [...this.#full, this.#piece.subarray(0, this.#at)];
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#piece[this.#at++] = value;
  }

  uint16(value: number): void {
    this.#reserve(2);
    this.#at = this.#piece.writeUInt16LE(value, this.#at);
  }

  /** Signed or not: numbers of JavaScript are in the range of both. */
  int64(value: number): void {
    this.#reserve(8);
    const high = Math.floor(value / TWO_32);
    this.#at = this.#piece.writeUInt32LE(value - high * TWO_32, this.#at);
    this.#at = this.#piece.writeInt32LE(high, this.#at);
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#at = this.#piece.writeDoubleLE(value, this.#at);
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#reserve(LONGEST_VARINT + bytes);
    this.varint(bytes);
    this.#at += this.#piece.write(value, this.#at);
  }

  varint(value: number): void {
    this.#reserve(LONGEST_VARINT);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.#piece[this.#at++] = (rest % 0x80) | 0x80;
    }
    this.#piece[this.#at++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#piece.length) return;
    this.#full.push(this.#piece.subarray(0, this.#at));
    this.#piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes));
    this.#at = 0;
  }
}
