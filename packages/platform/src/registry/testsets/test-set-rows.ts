import type { TestSet } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { missingName, nameOf } from "../names.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";

/** A test set with the slug of the application that it is bound to. */
export type TestSetRow = Awaited<
  ReturnType<ReturnType<typeof selectTestSets>["executeTakeFirstOrThrow"]>
>;

function selectTestSets(db: RegistryDatabase, project: string) {
  return db
    .selectFrom("test_sets")
    .leftJoin("applications", "applications.id", "test_sets.application_id")
    .selectAll("test_sets")
    .select("applications.slug as application")
    .where("test_sets.project_id", "=", project);
}

/** By slug. */
export async function listTestSets(db: RegistryDatabase, project: string): Promise<TestSet[]> {
  const rows = await selectTestSets(db, project).orderBy("test_sets.slug").execute();
  return rows.map(testSetDocument);
}

/** By slug or id. */
export async function findTestSet(
  db: RegistryDatabase,
  project: string,
  testSet: string,
): Promise<RegistryOutcome<TestSetRow>> {
  const { column, value } = nameOf(testSet);
  const row = await selectTestSets(db, project)
    .where(`test_sets.${column}`, "=", value)
    .executeTakeFirst();
  if (row !== undefined) return done(row);
  const others = await db
    .selectFrom("test_sets")
    .select("slug")
    .where("project_id", "=", project)
    .execute();
  return missingName("test_set", testSet, {
    loc: ["path", "testset"],
    names: others.map(({ slug }) => slug),
    createOne: "Create one, or push a file: agate testsets push FILE.",
  });
}

/** Finds a test set and locks it until the transaction ends, as `lockApplication` does. */
export async function lockTestSet(
  tx: RegistryDatabase,
  project: string,
  testSet: string,
): Promise<RegistryOutcome<TestSetRow>> {
  const { column, value } = nameOf(testSet);
  await tx
    .updateTable("test_sets")
    .set((eb) => ({ slug: eb.ref("slug") }))
    .where("project_id", "=", project)
    .where(column, "=", value)
    .execute();
  return findTestSet(tx, project, testSet);
}

export function testSetDocument(row: TestSetRow): TestSet {
  const { application, route } = row;
  return {
    id: row.id,
    slug: row.slug,
    description: row.description,
    created_by: row.created_by,
    created_at: row.created_at,
    latest_revision: row.latest_revision,
    rows: row.row_count,
    bound_to: application === null || route === null ? null : { application, route },
  };
}

export function missingRow(testSet: string, row: string): RegistryProblem {
  const msg = `No row ${shownValue(row)} in any revision of ${testSet}.`;
  return { type: "test_row_not_found", loc: ["path", "row"], msg };
}

/** The problem of a revision that a test set does not have. */
export function missingRevision(
  { slug, latest_revision: latest }: TestSetRow,
  revision: number,
  loc: RegistryProblem["loc"],
): RegistryOutcome<never> {
  const msg =
    latest === 0
      ? `${shownValue(slug)} has no revision yet. Commit rows first.`
      : `${shownValue(slug)} has no revision ${revision}: its latest is ${latest}.`;
  return refused({ type: "revision_not_found", loc, msg });
}
