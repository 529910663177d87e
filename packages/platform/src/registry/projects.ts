import type { Project, ProjectRedaction, RedactionRules } from "@agate/protocol";
import { DEFAULT_PROJECT_ID, NO_REDACTION, shownValue } from "@agate/protocol";
import { readRules } from "@agate/spans/redaction";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { nameOf, newId, slugProblem, takenSlug } from "./names.ts";
import type { Projects, RedactionSettings } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { inTransaction } from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";

export function createProjects(context: RegistryContext): Projects {
  const { db, now } = context;
  return {
    list: () => db.selectFrom("projects").selectAll().orderBy("slug").execute(),

    get: (project) => findProject(db, project),

    create: (slug) =>
      inTransaction(context, async (tx) => {
        await lockProject(tx, DEFAULT_PROJECT_ID);
        const fault = slugProblem(slug) ?? (await takenProblem(tx, slug, null));
        if (fault !== undefined) return refused(fault);
        const project = { id: newId("prj"), slug, created_at: now() };
        await tx.insertInto("projects").values(project).execute();
        return done(project);
      }),

    rename: (ref, slug) =>
      inTransaction(context, async (tx) => {
        await lockProject(tx, DEFAULT_PROJECT_ID);
        const found = await findProject(tx, ref);
        if (found.kind === "refused") return found;
        const fault = slugProblem(slug) ?? (await takenProblem(tx, slug, found.value.id));
        if (fault !== undefined) return refused(fault);
        await tx.updateTable("projects").set({ slug }).where("id", "=", found.value.id).execute();
        return done({ ...found.value, slug });
      }),

    delete: (ref) =>
      inTransaction(context, async (tx) => {
        await lockProject(tx, DEFAULT_PROJECT_ID);
        const found = await findProject(tx, ref);
        if (found.kind === "refused") return found;
        const { id, slug } = found.value;
        if (id === DEFAULT_PROJECT_ID) {
          const msg = `${shownValue(slug)} is the project of requests without a key. It cannot be deleted.`;
          return refused({ type: "not_empty", loc: ["path", "project"], msg });
        }
        await lockProject(tx, id);
        const application = await tx
          .selectFrom("applications")
          .select("slug")
          .where("project_id", "=", id)
          .executeTakeFirst();
        if (application !== undefined) {
          const msg = `${shownValue(slug)} has applications, ${shownValue(application.slug)} for one. Delete them first.`;
          return refused({ type: "not_empty", loc: ["path", "project"], msg });
        }
        await tx.deleteFrom("projects").where("id", "=", id).execute();
        return found;
      }),
  };
}

/**
 * Creates the default project, that of requests without a key, if it is missing. Conflicts on any column
 * are ignored: when two servers start at once, PostgreSQL may report the slug before the id.
 */
export async function ensureDefaultProject({ db, now }: RegistryContext): Promise<void> {
  await db
    .insertInto("projects")
    .values({ id: DEFAULT_PROJECT_ID, slug: "default", created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Locks a project until the transaction ends: no other transaction can create applications in it. Changes
 * of the list of projects lock the default project, which always exists.
 */
export async function lockProject(
  tx: RegistryDatabase,
  id: string,
): Promise<RegistryOutcome<Project>> {
  const row = await tx
    .updateTable("projects")
    .set((eb) => ({ slug: eb.ref("slug") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? missing(id) : done(row);
}

export async function findProject(
  db: RegistryDatabase,
  ref: string,
): Promise<RegistryOutcome<Project>> {
  // The one id that is a slug as well.
  const { column, value } =
    ref === DEFAULT_PROJECT_ID ? { column: "id" as const, value: ref } : nameOf(ref);
  const row = await db
    .selectFrom("projects")
    .selectAll()
    .where(column, "=", value)
    .executeTakeFirst();
  return row === undefined ? missing(ref) : done(row);
}

/** Does not suggest other projects: the caller may not be allowed to know of them. */
function missing(ref: string) {
  const msg = `There is no project ${shownValue(ref)}.`;
  return refused({ type: "project_not_found", loc: ["path", "project"], msg });
}

async function takenProblem(tx: RegistryDatabase, slug: string, ownId: string | null) {
  const taken = await tx
    .selectFrom("projects")
    .select("id")
    .where("slug", "=", slug)
    .executeTakeFirst();
  const isTaken =
    taken === undefined
      ? // "default" stays the id of the default project after that was renamed.
        slug === DEFAULT_PROJECT_ID && ownId !== DEFAULT_PROJECT_ID
      : taken.id !== ownId;
  return isTaken ? takenSlug("project", slug) : undefined;
}

export function createRedaction(context: RegistryContext): RedactionSettings {
  const { db, now } = context;
  return {
    async get(ref) {
      const project = await findProject(db, ref);
      if (project.kind === "refused") return project;
      const row = await db
        .selectFrom("redaction_rules")
        .selectAll()
        .where("project_id", "=", project.value.id)
        .executeTakeFirst();
      if (row === undefined) return done({ ...NO_REDACTION, updated_at: null, updated_by: null });
      const { rules, updated_at, updated_by } = row;
      return done({ ...(JSON.parse(rules) as RedactionRules), updated_at, updated_by });
    },

    set: (ref, json, by) =>
      inTransaction<ProjectRedaction>(context, async (tx) => {
        const project = await findProject(tx, ref);
        if (project.kind === "refused") return project;
        const read = readRules(json);
        if (read.kind === "problems") {
          const [first, ...others] = read.problems;
          return refused(asProblem(first), ...others.map(asProblem));
        }
        const written = {
          rules: JSON.stringify(read.rules),
          updated_at: now(),
          updated_by: by,
        };
        await tx
          .insertInto("redaction_rules")
          .values({ project_id: project.value.id, ...written })
          .onConflict((conflict) => conflict.column("project_id").doUpdateSet(written))
          .execute();
        return done({ ...read.rules, updated_at: written.updated_at, updated_by: by });
      }),
  };
}

function asProblem({
  path,
  msg,
}: {
  path: readonly (string | number)[];
  msg: string;
}): RegistryProblem {
  return { type: "redaction_invalid", loc: ["body", ...path], msg };
}
