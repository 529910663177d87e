import type { Project } from "@agate/protocol";
import { DEFAULT_PROJECT_ID, shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { newId } from "./new-id.ts";
import type { Projects } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { inTransaction } from "./registry-context.ts";
import type { RegistryOutcome } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";
import { nameOf, slugProblem, takenSlug } from "./slug.ts";

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
          const msg = `${shownValue(slug)} is the project of everything that is done without a key: it stays.`;
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
 * Makes sure that there is the project of what is done without a key. Any conflict will do: where two
 * servers begin at the same moment, PostgreSQL finds the other's slug before it minds the other's id.
 */
export async function ensureDefaultProject({ db, now }: RegistryContext): Promise<void> {
  await db
    .insertInto("projects")
    .values({ id: DEFAULT_PROJECT_ID, slug: "default", created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Keeps others from making applications in it until the transaction ends. Whoever changes the list of
 * projects itself does it with the default one, which is always there.
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

/** Does not tell what others there are: whoever asks may not be allowed to know. */
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
      ? // As an id it names the default project, whatever that is called by now.
        slug === DEFAULT_PROJECT_ID && ownId !== DEFAULT_PROJECT_ID
      : taken.id !== ownId;
  return isTaken ? takenSlug("project", slug) : undefined;
}
