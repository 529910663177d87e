import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../stores/registry/registry-tables.ts";
import { REGISTRY_KEYS } from "../stores/registry/registry-tables.ts";

export type RegistryTable = keyof RegistryTables;

/** A row with all the columns that it has, known here or not. */
export type PlainRow = Record<string, string | number | null>;

type PlainRegistry = Kysely<Record<RegistryTable, PlainRow>>;

/** Revisions may be large: they are what a page's size is for. */
const PAGE_ROWS = 50;

function plain(db: RegistryDatabase): PlainRegistry {
  return db.$omitTables<RegistryTable>().$extendTables<Record<RegistryTable, PlainRow>>();
}

/** All rows of a table in the order of its key, which is the same in every database, page by page. */
export async function* pagesOf(
  registry: RegistryDatabase,
  table: RegistryTable,
): AsyncGenerator<PlainRow[], void, void> {
  const db = plain(registry);
  const key: readonly string[] = REGISTRY_KEYS[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last: PlainRow | undefined;
  do {
    let page = db.selectFrom(table).selectAll().limit(PAGE_ROWS);
    for (const column of key) page = page.orderBy(column);
    if (last !== undefined) {
      const before = last;
      const values = sql.join(key.map((column) => before[column]));
      page = page.where(sql<boolean>`(${columns}) > (${values})`);
    }
    const rows: PlainRow[] = await page.execute();
    if (rows.length > 0) yield rows;
    last = rows.length < PAGE_ROWS ? undefined : rows.at(-1);
  } while (last !== undefined);
}

/** @returns The rows. */
export async function insertRows(
  registry: RegistryDatabase,
  table: RegistryTable,
  rows: readonly PlainRow[],
): Promise<readonly PlainRow[]> {
  await plain(registry).insertInto(table).values(rows).execute();
  return rows;
}

export interface TableDigest {
  readonly rows: number;
  /** Over all values of all rows, independent of the order of columns. */
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
