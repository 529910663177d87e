import type { TestRow, TestSetRef, TestSetRevision } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { Page, PageRequest } from "../paging.ts";
import { pageOf, rowsFor } from "../registry-context.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";
import { toTestRow } from "./row-content.ts";
import type { TestSetRow } from "./test-set-rows.ts";
import { findTestSet, missingRevision } from "./test-set-rows.ts";
import type { RowPage, RowPageRequest } from "./test-sets.ts";

/** Of the rows on a page as JSON; a page has at least one row. */
export const MOST_PAGE_BYTES = 8 * 1024 * 1024;

export function refOf({ id, slug }: TestSetRow, revision: number): TestSetRef {
  return { id, slug, revision };
}

export async function readHistory(
  db: RegistryDatabase,
  project: string,
  testSet: string,
  page: PageRequest,
): Promise<RegistryOutcome<Page<TestSetRevision>>> {
  const found = await findTestSet(db, project, testSet);
  if (found.kind === "refused") return found;
  const { limit, below } = rowsFor(page);
  const rows = await selectRevisions(db, found.value.id)
    .where("revision", "<", below)
    .orderBy("revision", "desc")
    .limit(limit)
    .execute();
  return done(pageOf(rows, page, (row) => revisionDocument(found.value, row)));
}

export async function readRevision(
  db: RegistryDatabase,
  project: string,
  testSet: string,
  revision: number | null,
): Promise<RegistryOutcome<TestSetRevision>> {
  const found = await findTestSet(db, project, testSet);
  if (found.kind === "refused") return found;
  const asked = revision ?? found.value.latest_revision;
  const isThere = asked >= 1 && asked <= found.value.latest_revision;
  const row = isThere
    ? await selectRevisions(db, found.value.id).where("revision", "=", asked).executeTakeFirst()
    : undefined;
  if (row === undefined) return missingRevision(found.value, asked, ["path", "revision"]);
  return done(revisionDocument(found.value, row));
}

function selectRevisions(db: RegistryDatabase, id: string) {
  return db
    .selectFrom("test_set_revisions")
    .select(["revision as number", "message", "created_by", "created_at", "row_count as rows"])
    .select(["added", "changed", "removed", "moved"])
    .where("test_set_id", "=", id);
}

type RevisionRow = Awaited<
  ReturnType<ReturnType<typeof selectRevisions>["executeTakeFirstOrThrow"]>
>;

function revisionDocument(testSet: TestSetRow, { number, ...row }: RevisionRow): TestSetRevision {
  return { test_set: refOf(testSet, number), ...row };
}

/** Rows of a revision in their order, up to a number of them or of bytes. */
export async function readRowPage(
  db: RegistryDatabase,
  project: string,
  testSet: string,
  revision: number | null,
  { limit, after }: RowPageRequest,
): Promise<RegistryOutcome<RowPage>> {
  const found = await findTestSet(db, project, testSet);
  if (found.kind === "refused") return found;
  const { id, latest_revision: latest } = found.value;
  const asked = revision ?? latest;
  if (asked > latest || (revision !== null && asked < 1)) {
    return missingRevision(found.value, asked, ["path", "revision"]);
  }
  let sizes = rowsAt(db, id, asked)
    .select(["position", "bytes"])
    .orderBy("position")
    .limit(limit + 1);
  if (after !== null) sizes = sizes.where("position", ">", after);
  const there = await sizes.execute();
  const taken = there.slice(
    0,
    fitting(
      there.map(({ bytes }) => bytes),
      limit,
    ),
  );
  const last = taken.at(-1)?.position;
  const items = last === undefined ? [] : await contentsUpTo(db, id, asked, { after, last });
  const next = there.length > taken.length && last !== undefined ? last : null;
  return done({ testSet: refOf(found.value, asked), items, next });
}

/** The versions of rows that are there at a revision. */
export function rowsAt(db: RegistryDatabase, testSetId: string, revision: number) {
  return db
    .selectFrom("test_rows")
    .where("test_set_id", "=", testSetId)
    .where("from_revision", "<=", revision)
    .where((eb) => eb.or([eb("to_revision", "is", null), eb("to_revision", ">", revision)]));
}

/** How many of these fit on a page: one at least. */
export function fitting(sizes: readonly number[], limit: number): number {
  let total = 0;
  for (const [n, bytes] of sizes.slice(0, limit).entries()) {
    total += bytes;
    if (total > MOST_PAGE_BYTES && n > 0) return n;
  }
  return Math.min(sizes.length, limit);
}

async function contentsUpTo(
  db: RegistryDatabase,
  id: string,
  revision: number,
  { after, last }: { readonly after: number | null; readonly last: number },
): Promise<TestRow[]> {
  let rows = rowsAt(db, id, revision)
    .select(["row_id", "content", "purged"])
    .where("position", "<=", last)
    .orderBy("position");
  if (after !== null) rows = rows.where("position", ">", after);
  const found = await rows.execute();
  return found.map(({ row_id, content, purged }) => toTestRow(row_id, content, purged));
}
