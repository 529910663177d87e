import { DEFAULT_PROJECT_ID } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { REGISTRY_KEYS } from "../stores/registry/registry-tables.ts";
import type { LostBuild } from "./build-copy.ts";
import { BuildCopy } from "./build-copy.ts";
import type { PlainRow, RegistryTable, TableDigest } from "./plain-rows.ts";
import { insertRows, pagesOf, RowDigest } from "./plain-rows.ts";
import type { RegistrySide } from "./registry-side.ts";

export interface CopiedTable extends TableDigest {
  readonly table: RegistryTable;
}

export interface CopiedRegistry {
  readonly kind: "copied";
  readonly tables: readonly CopiedTable[];
  /** How many builds have come with their files. */
  readonly archives: number;
  /** They cannot start from the copy. */
  readonly lost: readonly LostBuild[];
}

export type CopyOutcome =
  | CopiedRegistry
  /** Nothing was copied: there are rows in these tables already. */
  | { readonly kind: "not-empty"; readonly tables: readonly RegistryTable[] }
  /** Nothing was copied: these tables did not become what they were to be. */
  | { readonly kind: "different"; readonly tables: readonly RegistryTable[] };

export interface CopyOptions {
  /** Ends it; nothing is copied then. */
  readonly signal: AbortSignal;
  readonly onTable: (table: RegistryTable) => void;
}

const TABLES = Object.keys(REGISTRY_KEYS) as RegistryTable[];

/**
 * Copies a registry into an empty one, and the files of its builds: in one transaction, which is
 * committed when both have been compared.
 */
export async function copyRegistry(
  from: RegistrySide,
  to: RegistrySide,
  options: CopyOptions,
): Promise<CopyOutcome> {
  try {
    // One snapshot: servers may go on changing a database.
    return await from.db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute((source) =>
        to.db.transaction().execute((target) => {
          const builds = new BuildCopy(from.archivesIn(source), target, to.archivesIn(target));
          return copyTables(source, target, builds, options);
        }),
      );
  } catch (error) {
    if (error instanceof UnequalError) return { kind: "different", tables: error.tables };
    throw error;
  }
}

async function copyTables(
  source: RegistryDatabase,
  target: RegistryDatabase,
  builds: BuildCopy,
  { signal, onTable }: CopyOptions,
): Promise<CopyOutcome> {
  const filled = await filledTables(target);
  if (filled.length > 0) return { kind: "not-empty", tables: filled };
  await target.deleteFrom("projects").execute();
  const tables: CopiedTable[] = [];
  for (const table of TABLES) {
    onTable(table);
    const digest = new RowDigest();
    for await (const rows of pagesOf(source, table)) {
      signal.throwIfAborted();
      digest.add(
        table === "builds"
          ? await builds.insert(rows, signal)
          : await insertRows(target, table, rows),
      );
    }
    tables.push({ table, ...digest.end() });
  }
  const unequal = await unequalTables(target, tables);
  // By throwing: only that rolls back.
  if (unequal.length > 0) throw new UnequalError(unequal);
  signal.throwIfAborted();
  return { kind: "copied", tables, archives: builds.archives, lost: await builds.lost() };
}

/** Tables with anything but what every registry has, the default project. */
async function filledTables(db: RegistryDatabase): Promise<RegistryTable[]> {
  const filled: RegistryTable[] = [];
  for (const table of TABLES) {
    const { value: rows = [] } = await pagesOf(db, table).next();
    if (rows.some((row) => table !== "projects" || !isDefaultProject(row))) filled.push(table);
  }
  return filled;
}

function isDefaultProject({ id, slug }: PlainRow): boolean {
  return id === DEFAULT_PROJECT_ID && slug === "default";
}

async function unequalTables(
  db: RegistryDatabase,
  wanted: readonly CopiedTable[],
): Promise<RegistryTable[]> {
  const unequal: RegistryTable[] = [];
  for (const { table, rows, sha256 } of wanted) {
    const digest = new RowDigest();
    for await (const page of pagesOf(db, table)) digest.add(page);
    const found = digest.end();
    if (found.rows !== rows || found.sha256 !== sha256) unequal.push(table);
  }
  return unequal;
}

class UnequalError extends Error {
  readonly tables: readonly RegistryTable[];

  constructor(tables: readonly RegistryTable[]) {
    super(`The copies of ${tables.join(", ")} are not equal to them`);
    this.tables = tables;
  }
}
