import type { TestRow } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { RowFault } from "@agate/protocol/testsets";
import {
  inputFaults,
  MOST_ROW_FAULTS,
  MOST_ROWS,
  MOST_SET_BYTES,
  shownRowFault,
} from "@agate/protocol/testsets";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RegistryContext } from "../registry-context.ts";
import { inTransaction, storableText } from "../registry-context.ts";
import type { RegistryOutcome, RegistryProblem, RegistryRefusal } from "../registry-outcome.ts";
import { done, refusalOf, refused } from "../registry-outcome.ts";
import { inputSchemaOf } from "./binding.ts";
import type { CommitPlan, CurrentRow } from "./plan-commit.ts";
import { planPatch, planReplacement } from "./plan-commit.ts";
import { refOf } from "./read-revision.ts";
import { toStoredRow } from "./row-content.ts";
import type { TestSetRow } from "./test-set-rows.ts";
import { lockTestSet } from "./test-set-rows.ts";
import type { CommittedRows, RowsChange, RowsCommit } from "./test-sets.ts";

/** Rows of one statement: databases bound the parameters that it has. */
const ROWS_AT_ONCE = 200;

/** Adds a revision with other rows than the latest has, unless nothing changes. */
export function commitRows(
  context: RegistryContext,
  project: string,
  testSet: string,
  commit: RowsCommit,
): Promise<RegistryOutcome<CommittedRows>> {
  return inTransaction<CommittedRows>(context, async (tx) => {
    const found = await lockTestSet(tx, project, testSet);
    if (found.kind === "refused") return found;
    const stale = staleProblem(found.value, commit.baseRevision);
    if (stale !== undefined) return refused(stale);
    const current = await currentRows(tx, found.value.id);
    const { change } = commit;
    const plan = planChange(current, change);
    const refusal =
      (await purgedRefusal(tx, found.value.id, current, change)) ??
      sizeRefusal(plan) ??
      (await schemaRefusal(tx, found.value, change, plan));
    if (refusal !== undefined) return refusal;
    const { added, changed, removed, moved, unchanged } = plan.counts;
    const isNew = added + changed + removed + moved > 0;
    const latest = found.value.latest_revision;
    const revision = isNew ? latest + 1 : latest;
    if (isNew)
      await writePlan(tx, found.value.id, revision, plan, { ...commit, at: context.now() });
    const test_set = refOf(found.value, revision);
    return done({ isNew, commit: { test_set, added, changed, removed, moved, unchanged } });
  });
}

function staleProblem(
  { slug, latest_revision: latest }: TestSetRow,
  base: number | null,
): RegistryProblem | undefined {
  if (base === null || base === latest) return undefined;
  const why =
    base < latest
      ? `${slug} is at revision ${latest} by now: a newer revision exists. Look at what changed, and`
      : `${slug} has no revision ${base}, but ${latest === 0 ? "none" : `${latest} at most`}:`;
  const msg = `${why} commit again with base_revision ${latest}.`;
  return { type: "revision_stale", loc: ["body", "base_revision"], msg };
}

function currentRows(tx: RegistryDatabase, testSetId: string): Promise<CurrentRow[]> {
  return tx
    .selectFrom("test_rows")
    .select(["row_id as id", "position", "hash", "bytes"])
    .where("test_set_id", "=", testSetId)
    .where("to_revision", "is", null)
    .orderBy("position")
    .execute();
}

function planChange(current: readonly CurrentRow[], change: RowsChange): CommitPlan {
  switch (change.kind) {
    case "replace":
      return planReplacement(current, change.rows.map(toStoredRow));
    case "patch":
      return planPatch(current, change.upsert.map(toStoredRow), new Set(change.delete));
    case "append": {
      const known = new Set(current.map(({ id }) => id));
      const added = change.rows.filter(({ id }) => !known.has(id) && known.add(id));
      return planPatch(current, added.map(toStoredRow), new Set());
    }
  }
}

/** The rows that a change brings, and how faults in them are named. */
function rowsOf(change: RowsChange): readonly TestRow[] {
  return change.kind === "patch" ? change.upsert : change.rows;
}

/** The field of a request that rows are from. */
type RowList = "rows" | "upsert" | "spans";

const LIST_OF: Readonly<Record<RowsChange["kind"], RowList>> = {
  replace: "rows",
  patch: "upsert",
  append: "spans",
};

/** A fault of a row in a request: of a file by its line, of JSON by its place in the body. */
export function rowProblem(fault: RowFault, list: RowList): RegistryProblem {
  const { index, line, path } = fault;
  const loc = line === null ? ["body", list, index, ...path] : ["body", line, ...path];
  return { type: "rows_invalid", loc, msg: shownRowFault(fault) };
}

function faultIn(change: RowsChange, index: number, path: RowFault["path"], msg: string) {
  const line = (change.kind === "replace" ? change.lines?.[index] : null) ?? null;
  return rowProblem({ index, line, path, msg }, LIST_OF[change.kind]);
}

/** A purged row stays empty, and rows that a patch removes must be there. */
async function purgedRefusal(
  tx: RegistryDatabase,
  testSetId: string,
  current: readonly CurrentRow[],
  change: RowsChange,
): Promise<RegistryRefusal | undefined> {
  const purgedIds = await versionIds(tx, testSetId, "purged");
  // Purged rows are few, and those that are committed with the mark fewer.
  const isMarked = rowsOf(change).some(({ id, purged }) => purged && !purgedIds.has(id));
  const fullIds = isMarked ? await versionIds(tx, testSetId, "full") : new Set<string>();
  const problems: RegistryProblem[] = [];
  for (const [index, { id, purged: isPurged }] of rowsOf(change).entries()) {
    if (!isPurged && purgedIds.has(id)) {
      const msg = `The row ${shownValue(id)} was purged: its content must not come back. Remove it, or write {"id": ${JSON.stringify(id)}, "purged": true}.`;
      problems.push(faultIn(change, index, [], msg));
    } else if (isPurged && fullIds.has(id)) {
      const msg = `The row ${shownValue(id)} has content. Purge it with agate testsets purge.`;
      problems.push(faultIn(change, index, ["purged"], msg));
    }
    if (problems.length === MOST_ROW_FAULTS) break;
  }
  if (change.kind === "patch") problems.push(...removalProblems(change, current));
  return refusalOf(problems.slice(0, MOST_ROW_FAULTS));
}

/** Ids of rows with a version that was purged, or that was not. */
async function versionIds(
  tx: RegistryDatabase,
  testSetId: string,
  which: "purged" | "full",
): Promise<ReadonlySet<string>> {
  const found = await tx
    .selectFrom("test_rows")
    .select("row_id")
    .distinct()
    .where("test_set_id", "=", testSetId)
    .where("purged", "=", which === "purged" ? 1 : 0)
    .execute();
  return new Set(found.map(({ row_id }) => row_id));
}

function removalProblems(
  change: Extract<RowsChange, { kind: "patch" }>,
  current: readonly CurrentRow[],
): RegistryProblem[] {
  const known = new Set(current.map(({ id }) => id));
  const written = new Set(change.upsert.map(({ id }) => id));
  return change.delete.flatMap((id, index): RegistryProblem[] => {
    const loc = ["body", "delete", index];
    const type = "rows_invalid";
    if (written.has(id)) return [{ type, loc, msg: `${shownValue(id)} is in upsert, too.` }];
    if (known.has(id)) return [];
    return [{ type, loc, msg: `The latest revision has no row ${shownValue(id)}.` }];
  });
}

/** Why a test set would be too large after a commit. */
export function sizeRefusal({
  counts,
  bytes,
}: Pick<CommitPlan, "counts" | "bytes">): RegistryRefusal | undefined {
  const rows = counts.added + counts.changed + counts.moved + counts.unchanged;
  const excess =
    rows > MOST_ROWS
      ? `at most ${shownCount(MOST_ROWS)} rows (got ${shownCount(rows)})`
      : bytes > MOST_SET_BYTES
        ? `rows of at most ${shownCount(MOST_SET_BYTES)} bytes together (got ${shownCount(bytes)})`
        : undefined;
  if (excess === undefined) return undefined;
  return refused({ type: "rows_invalid", loc: ["body"], msg: `A test set has ${excess}.` });
}

function shownCount(count: number): string {
  return count.toLocaleString("en");
}

/** Checks the rows that are written against the route that the set is bound to. */
async function schemaRefusal(
  tx: RegistryDatabase,
  testSet: TestSetRow,
  change: RowsChange,
  { written }: CommitPlan,
): Promise<RegistryRefusal | undefined> {
  if (written.size === 0) return undefined;
  const schema = await inputSchemaOf(tx, testSet);
  if (schema.kind === "refused") return schema;
  if (schema.value === null) return undefined;
  const problems: RegistryProblem[] = [];
  for (const [index, row] of rowsOf(change).entries()) {
    if (!written.has(row.id) || row.purged) continue;
    for (const { path, msg } of inputFaults(schema.value, row.inputs)) {
      problems.push(
        faultIn(change, index, ["inputs", ...path], `${msg} (row ${shownValue(row.id)})`),
      );
    }
    if (problems.length >= MOST_ROW_FAULTS) break;
  }
  return refusalOf(problems.slice(0, MOST_ROW_FAULTS));
}

async function writePlan(
  tx: RegistryDatabase,
  testSetId: string,
  revision: number,
  { ended, inserted, counts }: CommitPlan,
  { by, message, at }: { readonly by: string; readonly message: string; readonly at: string },
): Promise<void> {
  for (const ids of chunksOf(ended)) {
    await tx
      .updateTable("test_rows")
      .set({ to_revision: revision })
      .where("test_set_id", "=", testSetId)
      .where("row_id", "in", ids)
      .where("to_revision", "is", null)
      .execute();
  }
  for (const rows of chunksOf(inserted)) {
    const values = rows.map(({ id, position, hash, bytes, content, isPurged }) => ({
      ...{ test_set_id: testSetId, row_id: id, from_revision: revision, to_revision: null },
      ...{ position, hash, bytes, content, purged: isPurged ? 1 : 0 },
    }));
    await tx.insertInto("test_rows").values(values).execute();
  }
  const { added, changed, removed, moved, unchanged } = counts;
  const row_count = added + changed + moved + unchanged;
  await tx
    .insertInto("test_set_revisions")
    .values({
      ...{ test_set_id: testSetId, revision, row_count, added, changed, removed, moved },
      message: storableText(message),
      created_by: storableText(by),
      created_at: at,
    })
    .execute();
  await tx
    .updateTable("test_sets")
    .set({ latest_revision: revision, row_count })
    .where("id", "=", testSetId)
    .execute();
}

function* chunksOf<Item>(items: readonly Item[]): Iterable<Item[]> {
  for (let start = 0; start < items.length; start += ROWS_AT_ONCE) {
    yield items.slice(start, start + ROWS_AT_ONCE);
  }
}
