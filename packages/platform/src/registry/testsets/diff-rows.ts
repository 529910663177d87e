import type { RowDiff, TestRow } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";
import { fitting, refOf } from "./read-revision.ts";
import { toTestRow } from "./row-content.ts";
import { findTestSet, missingRevision } from "./test-set-rows.ts";
import type { DiffPage, RowPageRequest } from "./test-sets.ts";

/** A version of a row, without its content. */
interface Version {
  readonly row_id: string;
  readonly from_revision: number;
  readonly position: number;
  readonly hash: string;
  readonly bytes: number;
}

/** A row that is not the same in both revisions. */
interface ChangedRow {
  readonly id: string;
  readonly from?: Version;
  readonly to?: Version;
}

/**
 * How the rows of one revision became those of another. Reads only versions that began or ended between
 * the two, and contents of one page of them. `next` counts the rows before it: revisions do not change.
 */
export async function diffRows(
  db: RegistryDatabase,
  project: string,
  testSet: string,
  { from, to }: { readonly from: number; readonly to: number },
  { limit, after }: RowPageRequest,
): Promise<RegistryOutcome<DiffPage>> {
  const found = await findTestSet(db, project, testSet);
  if (found.kind === "refused") return found;
  const { id, latest_revision: latest } = found.value;
  if (from > latest) return missingRevision(found.value, from, ["query", "from"]);
  if (to > latest) return missingRevision(found.value, to, ["query", "to"]);
  const changed = pair(await onlyIn(db, id, from, to), await onlyIn(db, id, to, from));
  const start = after ?? 0;
  const rest = changed.slice(start, start + limit + 1);
  const sizes = rest.map((row) => (row.from?.bytes ?? 0) + (row.to?.bytes ?? 0));
  const taken = rest.slice(0, fitting(sizes, limit));
  const contents = await contentsOf(db, id, taken);
  return done({
    from: refOf(found.value, from),
    to: refOf(found.value, to),
    counts: {
      added: changed.filter((row) => row.from === undefined).length,
      changed: changed.filter((row) => row.from !== undefined && row.to !== undefined).length,
      removed: changed.filter((row) => row.to === undefined).length,
    },
    items: taken.map((row) => toDiff(row, contents)),
    next: start + taken.length < changed.length ? start + taken.length : null,
  });
}

/** Versions that are there at one revision and not at another. */
function onlyIn(
  db: RegistryDatabase,
  testSetId: string,
  revision: number,
  other: number,
): Promise<Version[]> {
  const versions = db
    .selectFrom("test_rows")
    .select(["row_id", "from_revision", "position", "hash", "bytes"])
    .where("test_set_id", "=", testSetId);
  return revision < other
    ? versions
        .where("from_revision", "<=", revision)
        .where("to_revision", ">", revision)
        .where("to_revision", "<=", other)
        .execute()
    : versions
        .where("from_revision", ">", other)
        .where("from_revision", "<=", revision)
        .where((eb) => eb.or([eb("to_revision", "is", null), eb("to_revision", ">", revision)]))
        .execute();
}

/** In the order of the rows. One that was only moved is not in it. */
function pair(before: readonly Version[], after: readonly Version[]): ChangedRow[] {
  const rows = new Map<string, ChangedRow>(
    before.map((from) => [from.row_id, { id: from.row_id, from }]),
  );
  for (const to of after) rows.set(to.row_id, { ...rows.get(to.row_id), id: to.row_id, to });
  const place = ({ from, to }: ChangedRow) => (to ?? from)?.position ?? 0;
  return [...rows.values()]
    .filter(({ from, to }) => from?.hash !== to?.hash)
    .sort((a, b) => place(a) - place(b) || (a.id < b.id ? -1 : 1));
}

/** By row id and first revision. */
type Contents = ReadonlyMap<string, TestRow>;

async function contentsOf(
  db: RegistryDatabase,
  testSetId: string,
  rows: readonly ChangedRow[],
): Promise<Contents> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(({ id }) => id);
  const wanted = new Set(
    rows.flatMap(({ from, to }) => [from, to]).map((each) => each && keyOf(each)),
  );
  const found = await db
    .selectFrom("test_rows")
    .select(["row_id", "from_revision", "content", "purged"])
    .where("test_set_id", "=", testSetId)
    .where("row_id", "in", ids)
    .where("from_revision", "in", [
      ...new Set(
        rows.flatMap(({ from, to }) => [from?.from_revision ?? 0, to?.from_revision ?? 0]),
      ),
    ])
    .execute();
  return new Map(
    found
      .filter((row) => wanted.has(keyOf(row)))
      .map((row) => [keyOf(row), toTestRow(row.row_id, row.content, row.purged)]),
  );
}

function keyOf(version: Pick<Version, "row_id" | "from_revision">): string {
  return `${version.from_revision} ${version.row_id}`;
}

function toDiff({ id, from, to }: ChangedRow, contents: Contents): RowDiff {
  const before = from && contents.get(keyOf(from));
  const after = to && contents.get(keyOf(to));
  if (before !== undefined && after !== undefined) {
    return { id, change: "changed", from: before, to: after };
  }
  if (after !== undefined) return { id, change: "added", to: after };
  if (before !== undefined) return { id, change: "removed", from: before };
  throw new Error(`The versions of row ${id} are gone`);
}
