import type { TestSet } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { newId, slugProblem, takenSlug } from "../names.ts";
import { lockProject } from "../projects.ts";
import type { RegistryContext } from "../registry-context.ts";
import { inTransaction, storableText } from "../registry-context.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";
import { purgeRow as purgeInRuns } from "../runs/runs.ts";
import { findBinding, inputSchemaOf } from "./binding.ts";
import { commitRows } from "./commit-rows.ts";
import { diffRows } from "./diff-rows.ts";
import { readHistory, readRevision, readRowPage } from "./read-revision.ts";
import { PURGED } from "./row-content.ts";
import {
  findTestSet,
  listTestSets,
  lockTestSet,
  missingRow,
  testSetDocument,
} from "./test-set-rows.ts";
import type { NewTestSet, TestSetChange, TestSets } from "./test-sets.ts";

export function createTestSets(context: RegistryContext): TestSets {
  const { db } = context;
  return {
    list: (project) => listTestSets(db, project),

    async get(project, testSet) {
      const found = await findTestSet(db, project, testSet);
      return found.kind === "refused" ? found : done(testSetDocument(found.value));
    },

    create: (project, created, by) => createTestSet(context, project, created, by),

    update: (project, testSet, change) => updateTestSet(context, project, testSet, change),

    delete: (project, testSet) =>
      inTransaction(context, async (tx) => {
        const found = await lockTestSet(tx, project, testSet);
        if (found.kind === "refused") return found;
        await tx.deleteFrom("test_sets").where("id", "=", found.value.id).execute();
        return done(testSetDocument(found.value));
      }),

    commit: (project, testSet, commit) => commitRows(context, project, testSet, commit),

    history: (project, testSet, page) => readHistory(db, project, testSet, page),

    revision: (project, testSet, revision) => readRevision(db, project, testSet, revision),

    rows: (project, testSet, revision, page) => readRowPage(db, project, testSet, revision, page),

    diff: (project, testSet, between, page) => diffRows(db, project, testSet, between, page),

    async purge(project, testSet, row) {
      const purged = await purgeRow(context, project, testSet, row);
      // Should it break off, the row can be purged again.
      if (purged.kind === "done") {
        await purgeInRuns(context, project, { testset: purged.value.slug, row });
      }
      return purged;
    },

    async inputSchema(project, testSet) {
      const found = await findTestSet(db, project, testSet);
      if (found.kind === "refused") return found;
      return inputSchemaOf(db, found.value);
    },
  };
}

function createTestSet(
  context: RegistryContext,
  project: string,
  { slug, description, boundTo }: NewTestSet,
  by: string,
): Promise<RegistryOutcome<TestSet>> {
  return inTransaction<TestSet>(context, async (tx) => {
    const locked = await lockProject(tx, project);
    if (locked.kind === "refused") return locked;
    const fault = slugProblem(slug) ?? (await takenProblem(tx, project, slug));
    if (fault !== undefined) return refused(fault);
    const binding = await findBinding(tx, project, boundTo);
    if (binding.kind === "refused") return binding;
    const id = newId("tst");
    await tx
      .insertInto("test_sets")
      .values({
        id,
        project_id: project,
        slug,
        description: storableText(description),
        ...binding.value,
        created_by: storableText(by),
        created_at: context.now(),
        latest_revision: 0,
        row_count: 0,
      })
      .execute();
    const made = await findTestSet(tx, project, id);
    return made.kind === "refused" ? made : done(testSetDocument(made.value));
  });
}

function updateTestSet(
  context: RegistryContext,
  project: string,
  testSet: string,
  { slug, description, boundTo }: TestSetChange,
): Promise<RegistryOutcome<TestSet>> {
  return inTransaction<TestSet>(context, async (tx) => {
    // As for a new one: no other may take the slug meanwhile.
    const locked = await lockProject(tx, project);
    if (locked.kind === "refused") return locked;
    const found = await lockTestSet(tx, project, testSet);
    if (found.kind === "refused") return found;
    const { id } = found.value;
    if (slug !== undefined && slug !== found.value.slug) {
      const fault = slugProblem(slug) ?? (await takenProblem(tx, project, slug));
      if (fault !== undefined) return refused(fault);
    }
    const binding = boundTo === undefined ? undefined : await findBinding(tx, project, boundTo);
    if (binding?.kind === "refused") return binding;
    const changed = {
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description: storableText(description) }),
      ...binding?.value,
    };
    if (Object.keys(changed).length > 0) {
      await tx.updateTable("test_sets").set(changed).where("id", "=", id).execute();
    }
    const made = await findTestSet(tx, project, id);
    return made.kind === "refused" ? made : done(testSetDocument(made.value));
  });
}

async function takenProblem(tx: RegistryDatabase, project: string, slug: string) {
  const taken = await tx
    .selectFrom("test_sets")
    .select("id")
    .where("project_id", "=", project)
    .where("slug", "=", slug)
    .executeTakeFirst();
  return taken && takenSlug("test set", slug);
}

function purgeRow(
  context: RegistryContext,
  project: string,
  testSet: string,
  row: string,
): Promise<RegistryOutcome<TestSet>> {
  return inTransaction<TestSet>(context, async (tx) => {
    const found = await lockTestSet(tx, project, testSet);
    if (found.kind === "refused") return found;
    const emptied = await tx
      .updateTable("test_rows")
      .set(PURGED)
      .where("test_set_id", "=", found.value.id)
      .where("row_id", "=", storableText(row))
      .executeTakeFirst();
    if (emptied.numUpdatedRows === 0n) return refused(missingRow(found.value.slug, row));
    return done(testSetDocument(found.value));
  });
}
