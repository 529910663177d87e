import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isRecord } from "@agate/protocol";
import { csvObjects } from "./csv-objects.ts";
import { ExportFault } from "./export-fault.ts";
import { jsonObjects } from "./json-objects.ts";

/** One object of an export, as its product has written it. */
export type ExportRow = Readonly<Record<string, unknown>>;

interface Rows {
  readonly form: "json" | "csv";
  readonly rows: AsyncIterable<ExportRow>;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const PARQUET = Buffer.from("PAR1");

/**
 * Opens an export: JSON (a list, or a page of an API with its items in `data`), JSONL or CSV, also
 * gzipped. The form is told by the first bytes, not by the file's name.
 *
 * @throws {ExportFault} where the file cannot be read, here or while its rows are.
 */
export async function readExport(file: string): Promise<Rows> {
  const first = await firstBytes(file);
  if (first.length === 0) throw new ExportFault("is empty.");
  if (first.subarray(0, PARQUET.length).equals(PARQUET)) {
    throw new ExportFault(
      "is Parquet, which Agate does not read. Convert it: python -c \"import pandas, sys; pandas.read_parquet(sys.argv[1]).to_json(sys.argv[2], orient='records', lines=True)\" IN.parquet OUT.jsonl",
    );
  }
  const chunks = textOf(file, first.subarray(0, GZIP.length).equals(GZIP));
  const { head, all } = await withHead(chunks);
  return /^[[{]/.test(head)
    ? { form: "json", rows: parsedRows(jsonObjects(all)) }
    : { form: "csv", rows: csvObjects(all) };
}

async function firstBytes(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (code === "ENOENT") return new ExportFault("does not exist.");
  if (code === "EISDIR") return new ExportFault("is a folder. Name its files.");
  if (code.startsWith("Z_")) return new ExportFault(`is damaged: it cannot be unpacked (${code}).`);
  return new ExportFault(`cannot be read: ${code}.`);
}

async function* textOf(file: string, isGzip: boolean): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  // An error of either ends the iteration.
  const stream: Readable = isGzip ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  try {
    yield* stream.setEncoding("utf8") as AsyncIterable<string>;
  } catch (error) {
    throw unreadable(error);
  }
}

/** The first text that is not blank, and the whole without a byte order mark. */
async function withHead(chunks: AsyncGenerator<string>) {
  let head = "";
  while (head.trim() === "") {
    const { done, value } = await chunks.next();
    if (done) break;
    head += value;
  }
  if (head.startsWith("\ufeff")) head = head.slice(1);
  const start = head;
  async function* all(): AsyncGenerator<string> {
    yield start;
    yield* chunks;
  }
  return { head: head.trimStart(), all: all() };
}

async function* parsedRows(texts: AsyncIterable<string>): AsyncGenerator<ExportRow> {
  let count = 0;
  for await (const text of texts) {
    count++;
    const value = parsed(text, count);
    const items = value.data;
    if (!Array.isArray(items)) yield value;
    else for (const item of items) if (isRecord(item)) yield item;
  }
}

const LONG_NUMBER = /\d{16}/;

function parsed(text: string, count: number): ExportRow {
  try {
    // Nanoseconds since 1970 are more than a double holds.
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch (error) {
    throw new ExportFault(`is not JSON in object ${count}: ${(error as Error).message}`);
  }
}

function keepDigits(_: string, value: unknown, context?: { readonly source: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}
