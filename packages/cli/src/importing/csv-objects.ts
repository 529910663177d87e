import { readCsvRecords } from "@agate/protocol/testsets";
import { ExportFault } from "./export-fault.ts";

/** A row by the names of its columns; what is left empty is not there. */
export type CsvObject = Readonly<Record<string, string>>;

const LINE_END = /["\n]/g;
/** Of one row: a quote that is not closed makes the rest of the file one. */
const MOST_CHARACTERS = 128 * 1024 ** 2;

/**
 * The rows of a stream of CSV, as objects. A row is in memory at a time.
 *
 * @param most Characters of a row that goes on from one chunk to the next.
 * @throws {ExportFault} where the text is not CSV.
 */
export async function* csvObjects(
  chunks: AsyncIterable<string>,
  most = MOST_CHARACTERS,
): AsyncGenerator<CsvObject> {
  let names: readonly string[] | undefined;
  let line = 0;
  for await (const record of csvRecords(chunks, most)) {
    line++;
    const reading = readCsvRecords(record, 1);
    if (reading.kind === "fault") {
      throw new ExportFault(`is not CSV: ${reading.msg} (row ${line})`);
    }
    const cells = reading.records[0]?.cells.map(({ text }) => text);
    if (cells === undefined) continue;
    if (names === undefined) {
      names = cells;
      continue;
    }
    if (cells.length !== names.length) {
      throw new ExportFault(
        `has ${cells.length} cells in row ${line}, and ${names.length} columns.`,
      );
    }
    yield objectOf(names, cells);
  }
}

function objectOf(names: readonly string[], cells: readonly string[]): CsvObject {
  const entries = names.map((name, index) => [name, cells[index] ?? ""] as const);
  return Object.fromEntries(entries.filter(([, text]) => text !== ""));
}

/** The text of each record: a line break inside of quotes does not end one. */
async function* csvRecords(chunks: AsyncIterable<string>, most: number): AsyncGenerator<string> {
  let pieces: string[] = [];
  let length = 0;
  let isQuoted = false;
  for await (const chunk of chunks) {
    let start = 0;
    LINE_END.lastIndex = 0;
    for (let found = LINE_END.exec(chunk); found !== null; found = LINE_END.exec(chunk)) {
      if (found[0] === '"') {
        // A doubled quote ends the quotes and begins them again.
        isQuoted = !isQuoted;
      } else if (!isQuoted) {
        const end = found.index + 1;
        const record = pieces.join("") + chunk.slice(start, end);
        pieces = [];
        length = 0;
        start = end;
        yield record;
        LINE_END.lastIndex = end;
      }
    }
    if (start === chunk.length) continue;
    pieces.push(chunk.slice(start));
    length += chunk.length - start;
    if (length > most) {
      throw new ExportFault(`has a row of more than ${most} characters: is a quote not closed?`);
    }
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}
