import type { Application } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import {
  findDefaultEnvironment,
  findLiveIn,
  insertEnvironment,
  selectLive,
} from "./environment-rows.ts";
import { newId, slugProblem, takenSlug } from "./names.ts";
import { lockProject } from "./projects.ts";
import type { Applications } from "./registry.ts";
import type { ApplicationRow, RegistryContext } from "./registry-context.ts";
import { changeConfig, findApplication, inTransaction, routesOf } from "./registry-context.ts";
import type { RegistryProblem } from "./registry-outcome.ts";
import { done, refusalOf, refused } from "./registry-outcome.ts";

const FIRST_ENVIRONMENTS = ["development", "staging", "production"];
/** Which of them calls that name none go to. */
const DEFAULT_ENVIRONMENT = "production";

export function createApplications(
  context: RegistryContext,
): Omit<Applications, "schema" | "putSchema" | "checkSchema"> {
  const { db, now } = context;
  return {
    async list(project) {
      const rows = await db
        .selectFrom("applications")
        .leftJoin("environments", (join) =>
          join
            .onRef("environments.application_id", "=", "applications.id")
            .on("environments.is_default", "=", 1),
        )
        .leftJoin("deployments", (join) =>
          join
            .onRef("deployments.environment_id", "=", "environments.id")
            .on("deployments.ended_at", "is", null),
        )
        .leftJoin("builds", "builds.id", "deployments.build_id")
        .selectAll("applications")
        .select("builds.number as build")
        .where("applications.project_id", "=", project)
        .orderBy("applications.slug")
        .execute();
      return rows.map((row) => applicationDocument(row, row.build));
    },

    async get(ref) {
      const found = await findApplication(db, ref);
      return found.kind === "refused" ? found : done(await read(db, found.value));
    },

    create: (project, slug) =>
      inTransaction(context, async (tx) => {
        const locked = await lockProject(tx, project);
        if (locked.kind === "refused") return locked;
        const fault = slugProblem(slug) ?? (await takenProblem(tx, project, slug));
        return fault === undefined ? done(await insert(tx, project, slug)) : refused(fault);
      }),

    async ensure(project, slug) {
      const ref = { project, application: slug };
      const found = await findApplication(db, ref);
      if (found.kind === "done") return done(await read(db, found.value));
      return inTransaction(context, async (tx) => {
        const locked = await lockProject(tx, project);
        if (locked.kind === "refused") return locked;
        // Another request may have created it before the lock was taken.
        const application = await findApplication(tx, ref);
        if (application.kind === "done") return done(await read(tx, application.value));
        const fault = slugProblem(slug, ["path", "app"]);
        return fault === undefined ? done(await insert(tx, project, slug)) : refused(fault);
      });
    },

    rename: (ref, slug) =>
      changeConfig(context, ref, async (tx, application) => {
        if (application.slug !== slug) {
          const locked = await lockProject(tx, ref.project);
          if (locked.kind === "refused") return locked;
          const fault = slugProblem(slug) ?? (await takenProblem(tx, ref.project, slug));
          if (fault !== undefined) return refused(fault);
          const { id } = application;
          await tx.updateTable("applications").set({ slug }).where("id", "=", id).execute();
        }
        return done(await read(tx, { ...application, slug }));
      }),

    delete: (ref) =>
      changeConfig(context, ref, async (tx, application) => {
        const document = await read(tx, application);
        const refusal = refusalOf(await liveProblems(tx, document));
        if (refusal !== undefined) return refusal;
        await tx.deleteFrom("applications").where("id", "=", document.id).execute();
        return done(document);
      }),
  };

  async function insert(tx: RegistryDatabase, project: string, slug: string): Promise<Application> {
    const at = now();
    const row = {
      id: newId("app"),
      project_id: project,
      slug,
      created_at: at,
      schema: null,
      schema_updated_at: null,
    };
    await tx.insertInto("applications").values(row).execute();
    for (const environment of FIRST_ENVIRONMENTS) {
      const isDefault = environment === DEFAULT_ENVIRONMENT;
      await insertEnvironment(tx, row.id, environment, { at, isDefault });
    }
    return applicationDocument(row, null);
  }
}

/** Reads an application's document. */
async function read(db: RegistryDatabase, application: ApplicationRow): Promise<Application> {
  const environment = await findDefaultEnvironment(db, application.id);
  const live = environment && (await findLiveIn(db, environment));
  return applicationDocument(application, live?.build_number ?? null);
}

function applicationDocument(row: ApplicationRow, build: number | null): Application {
  const routes = routesOf(row)?.map(({ route }) => route) ?? null;
  return { id: row.id, slug: row.slug, created_at: row.created_at, routes, build };
}

async function liveProblems(tx: RegistryDatabase, { id }: Application) {
  const live = await selectLive(tx, id).execute();
  return live.map(({ environment, variant_slug: variant, revision }) =>
    stillLive(`${environment} runs ${variant}@${revision}. Take that down first.`),
  );
}

function stillLive(msg: string): RegistryProblem {
  return { type: "still_live", loc: ["path", "app"], msg };
}

/** The project must be locked. */
async function takenProblem(
  tx: RegistryDatabase,
  project: string,
  slug: string,
): Promise<RegistryProblem | undefined> {
  const taken = await tx
    .selectFrom("applications")
    .select("id")
    .where("project_id", "=", project)
    .where("slug", "=", slug)
    .executeTakeFirst();
  return taken && takenSlug("application", slug);
}
