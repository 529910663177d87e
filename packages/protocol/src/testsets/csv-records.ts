/** A cell of a CSV file. */
export interface CsvCell {
  readonly text: string;
  /** Tells an empty text, `""`, from a cell that is left empty. */
  readonly isQuoted: boolean;
}

export interface CsvRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly CsvCell[];
}

export type CsvReading =
  | { readonly kind: "records"; readonly records: readonly CsvRecord[] }
  | { readonly kind: "fault"; readonly line: number; readonly msg: string };

/** The characters that end a cell without quotes, or must not be in it. */
const SPECIAL = /[",\r\n]/g;
const BREAK = /\r\n|\r|\n/g;

/**
 * Reads CSV as RFC 4180 has it: cells with commas, quotes or line breaks are in double quotes, a quote
 * in them is doubled. Lines end with CRLF, LF or CR; a byte order mark and empty lines are skipped.
 *
 * @param most Stops after so many records.
 */
export function readCsvRecords(text: string, most = Number.POSITIVE_INFINITY): CsvReading {
  const reader = new CsvReader(text);
  const records: CsvRecord[] = [];
  while (records.length < most) {
    const record = reader.next();
    if (record === undefined) break;
    if ("msg" in record) return { kind: "fault", ...record };
    const [first] = record.cells;
    const isEmpty = record.cells.length === 1 && first?.text === "" && !first.isQuoted;
    if (!isEmpty) records.push(record);
  }
  return { kind: "records", records };
}

interface CsvFault {
  readonly line: number;
  readonly msg: string;
}

class CsvReader {
  readonly #text: string;
  #at: number;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  next(): CsvRecord | CsvFault | undefined {
    if (this.#at >= this.#text.length) return undefined;
    const line = this.#line;
    const cells: CsvCell[] = [];
    for (;;) {
      const cell = this.#text[this.#at] === '"' ? this.#quoted() : this.#plain();
      if ("msg" in cell) return cell;
      cells.push(cell);
      if (this.#text[this.#at] === ",") this.#at++;
      else break;
    }
    if (this.#text.startsWith("\r\n", this.#at)) this.#at++;
    this.#at++;
    this.#line++;
    return { line, cells };
  }

  #plain(): CsvCell | CsvFault {
    SPECIAL.lastIndex = this.#at;
    const end = SPECIAL.exec(this.#text)?.index ?? this.#text.length;
    if (this.#text[end] === '"') {
      const msg =
        'A cell with a quote in it must be in quotes, and the quote doubled: "a ""b"" c".';
      return { line: this.#line, msg };
    }
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    return { text, isQuoted: false };
  }

  #quoted(): CsvCell | CsvFault {
    const line = this.#line;
    const pieces: string[] = [];
    let start = this.#at + 1;
    for (;;) {
      const end = this.#text.indexOf('"', start);
      if (end === -1) return { line, msg: "A cell begins with a quote and has no closing one." };
      pieces.push(this.#text.slice(start, end));
      if (this.#text[end + 1] !== '"') {
        this.#at = end + 1;
        break;
      }
      pieces.push('"');
      start = end + 2;
    }
    const text = pieces.join("");
    this.#line += text.match(BREAK)?.length ?? 0;
    const after = this.#text[this.#at];
    if (after !== undefined && !",\r\n".includes(after)) {
      const msg = "Nothing but a comma or the end of the line may follow a closing quote.";
      return { line: this.#line, msg };
    }
    return { text, isQuoted: true };
  }
}
