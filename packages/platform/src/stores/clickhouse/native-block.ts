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

type NativeText = string | Uint8Array;

export interface NativeColumn<Row> {
  readonly name: string;
  readonly type: NativeType;
  /** Its value in a row; a text may come as its bytes. */
  value(row: Row): unknown;
}

/** Bytes that are written to one piece of memory, unless a single text is longer. */
const PIECE_BYTES = 1024 * 1024;
const LONGEST_VARINT = 10;
const TWO_32 = 2 ** 32;

/**
 * Rows as one block. A number that JSON has no text for is taken for null, as `JSON.stringify` does; a lone surrogate
 * becomes U+FFFD.
 *
 * @returns Pieces that follow each other.
 */
export function nativeBlock<Row>(
  columns: readonly NativeColumn<Row>[],
  rows: readonly Row[],
): readonly Buffer[] {
  const writer = new PieceWriter();
  writer.varint(columns.length);
  writer.varint(rows.length);
  for (const column of columns) {
    writer.text(column.name);
    writer.text(column.type);
    writeValues(writer, column, rows);
  }
  return writer.pieces();
}

function writeValues<Row>(
  writer: PieceWriter,
  { type, value }: NativeColumn<Row>,
  rows: readonly Row[],
): void {
  switch (type) {
    case "String":
      for (const row of rows) writer.text(value(row) as NativeText);
      break;
    case "Nullable(String)":
      for (const row of rows) writer.byte(value(row) === null ? 1 : 0);
      for (const row of rows) writer.text((value(row) as NativeText | null) ?? "");
      break;
    case "UInt16":
      for (const row of rows) writer.uint16(value(row) as number);
      break;
    case "UInt64":
    case "Int64":
      for (const row of rows) writer.int64(value(row) as number);
      break;
    case "Nullable(Int64)":
      for (const row of rows) writer.byte(value(row) === null ? 1 : 0);
      for (const row of rows) writer.int64((value(row) as number | null) ?? 0);
      break;
    case "Nullable(Float64)":
      for (const row of rows) writer.byte(Number.isFinite(value(row)) ? 0 : 1);
      for (const row of rows) writer.float64(finiteOrZero(value(row) as number | null));
  }
}

/** Also for -0, as in JSON. */
function finiteOrZero(value: number | null): number {
  return Number.isFinite(value) ? (value as number) + 0 : 0;
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

  text(value: NativeText): void {
    if (typeof value !== "string") {
      this.#reserve(LONGEST_VARINT + value.length);
      this.varint(value.length);
      this.#piece.set(value, this.#at);
      this.#at += value.length;
      return;
    }
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
