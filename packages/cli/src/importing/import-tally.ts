/** Where a row is in an export. */
export interface RowPlace {
  readonly file: string;
  /** From 1, the header of CSV not counted. */
  readonly row: number;
}

export interface SkippedRows {
  readonly reason: string;
  readonly count: number;
  /** The first of them, where it is known. */
  readonly first: RowPlace | null;
}

/** Beyond it, reasons are counted together: a server names ids in some. */
const MOST_REASONS = 20;

/** What was imported, and what was not. */
export class ImportTally {
  spans = 0;
  scores = 0;
  readonly #skipped = new Map<string, { count: number; first: RowPlace | null }>();

  skip(reason: string, first: RowPlace | null, count = 1): void {
    const isNew = !this.#skipped.has(reason);
    const kept = isNew && this.#skipped.size >= MOST_REASONS ? "other reasons" : reason;
    const known = this.#skipped.get(kept);
    if (known === undefined) this.#skipped.set(kept, { count, first });
    else known.count += count;
  }

  get skipped(): readonly SkippedRows[] {
    return Array.from(this.#skipped, ([reason, rows]) => ({ reason, ...rows }));
  }
}
