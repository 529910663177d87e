import { createHash } from "node:crypto";
import type { PlainRow } from "./plain-rows.ts";

export interface TableDigest {
  readonly rows: number;
  /** Over all values of all rows, whatever order the database has its columns in. */
  readonly sha256: string;
}

/** Takes the rows of a table, in the order of its key. */
export class RowDigest {
  readonly #hash = createHash("sha256");
  #rows = 0;

  add(rows: readonly PlainRow[]): void {
    this.#rows += rows.length;
    for (const row of rows) {
      const columns = Object.keys(row).sort();
      this.#hash.update(`${JSON.stringify(columns.map((column) => [column, row[column]]))}\n`);
    }
  }

  /** Nothing can be added after it. */
  end(): TableDigest {
    return { rows: this.#rows, sha256: this.#hash.digest("hex") };
  }
}
