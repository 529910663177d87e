import { type FileHandle, mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LogLine } from "@agate/protocol";

/** Bytes of one file; there are two, of which the older goes when the newer is full. */
const FILE_BYTES = 5 * 1024 * 1024;

/** Lines of JSON in two files that take turns. Not for two callers at once. */
export class LogFiles {
  readonly #folder: string;
  readonly #newer: string;
  readonly #older: string;
  #file: { readonly handle: FileHandle; bytes: number } | undefined;
  /** A write broke off, perhaps in the middle of a line. */
  #isTorn = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#newer = join(folder, "newer.ndjson");
    this.#older = join(folder, "older.ndjson");
  }

  /** @param text Whole lines. @throws when the disk does not take them; another try may go well. */
  async append(text: string): Promise<void> {
    const file = await this.#open();
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    this.#isTorn = true;
    await file.handle.appendFile(bytes);
    this.#isTorn = false;
    file.bytes += bytes.length;
    if (file.bytes < FILE_BYTES) return;
    await this.close();
    await rename(this.#newer, this.#older);
  }

  /**
   * The last lines, oldest first.
   *
   * @param unwritten Lines that come after those on disk.
   */
  async tail(most: number, filter: LogFilter, unwritten: string): Promise<LogLine[]> {
    const found: LogLine[] = [];
    const texts = [() => unwritten, () => textOf(this.#newer), () => textOf(this.#older)];
    for (const text of texts) {
      if (found.length >= most) break;
      takeLast(await text(), most, filter, found);
    }
    return found.reverse();
  }

  async close(): Promise<void> {
    await this.#file?.handle.close();
    this.#file = undefined;
  }

  async #open(): Promise<{ readonly handle: FileHandle; bytes: number }> {
    if (this.#file !== undefined) return this.#file;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const handle = await open(this.#newer, "a");
    const { size } = await stat(this.#newer);
    // The platform may have been killed in the middle of a line.
    this.#isTorn = size > 0;
    this.#file = { handle, bytes: size };
    return this.#file;
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Adds lines from the end of a text, newest first. */
function takeLast(text: string, most: number, filter: LogFilter, found: LogLine[]): void {
  // Looked for before a line is parsed: a whole file of another build is passed over quickly.
  const mark = filter.build === null ? "" : `"build":${filter.build},`;
  for (let end = text.length; end > 0 && found.length < most; ) {
    const start = text.lastIndexOf("\n", end - 2) + 1;
    const line = text.slice(start, end);
    end = start;
    const entry = line.includes(mark) ? parsed(line) : undefined;
    if (entry !== undefined && isWanted(entry, filter)) found.push(entry);
  }
}

/** Which lines are read; null: those of all. */
export interface LogFilter {
  readonly build: number | null;
  readonly environment: string | null;
}

export function isWanted(line: LogLine, { build, environment }: LogFilter): boolean {
  return (
    (build === null || line.build === build) &&
    (environment === null || line.environment === environment)
  );
}

/** Undefined for a torn line, and the empty one after it. */
function parsed(line: string): LogLine | undefined {
  try {
    const { environment = null, ...rest } = JSON.parse(line) as Partial<LogLine>;
    return { environment, ...rest } as LogLine;
  } catch {
    return undefined;
  }
}
