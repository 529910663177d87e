import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { buildEvaluations } from "./build-evaluations.ts";
import {
  buildDocument,
  findBuild,
  findLivePlaces,
  insertBuild,
  type LivePlaces,
  routesOfBuild,
} from "./build-rows.ts";
import { lostLease } from "./deploy-leases.ts";
import type { Builds } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import {
  findApplication,
  inApplication,
  pageOf,
  rowsFor,
  storableText,
} from "./registry-context.ts";
import { done, refused } from "./registry-outcome.ts";
import { buildsOfRuns } from "./runs/runs.ts";

export function createBuilds(context: RegistryContext): Builds {
  return {
    ...readBuilds(context),
    ...changeBuilds(context),
    ...hostedBuilds(context),
    ...buildEvaluations(context),
  };
}

/** Queries of builds. */
function readBuilds({
  db,
}: RegistryContext): Pick<Builds, "list" | "get" | "schema" | "findByArchive"> {
  return {
    async list(ref, page) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { id } = application.value;
      const { limit, below } = rowsFor(page);
      const rows = await db
        .selectFrom("builds")
        .selectAll()
        .where("application_id", "=", id)
        .where("number", "<", below)
        .orderBy("number", "desc")
        .limit(limit)
        .execute();
      const places = await findLivePlaces(db, id);
      return done(pageOf(rows, page, (row) => buildDocument(row, places)));
    },

    async get(ref, build) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { id } = application.value;
      const found = await findBuild(db, id, build);
      if (found.kind === "refused") return found;
      return done(buildDocument(found.value, await findLivePlaces(db, id)));
    },

    async schema(ref, build) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const found = await findBuild(db, application.value.id, build);
      if (found.kind === "refused") return found;
      const { number, created_at, live_since } = found.value;
      const routes = routesOfBuild(found.value);
      if (routes === null) {
        const msg = `Build ${number} has not told its routes: it never started.`;
        return refused({ type: "schema_not_found", loc: ["path", "build"], msg });
      }
      return done({ routes, updated_at: live_since ?? created_at });
    },

    async findByArchive(ref, archiveHash) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return undefined;
      const { id } = application.value;
      const row = await db
        .selectFrom("builds")
        .selectAll()
        .where("application_id", "=", id)
        .where("archive_hash", "=", archiveHash)
        .where("kind", "=", "hosted")
        // One from before there were restrictions would run without any again.
        .where("allow", "is not", null)
        // One that is still being deployed may be refused yet, and its files deleted.
        .where("status", "in", ["live", "retired"])
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst();
      return row && buildDocument(row, await findLivePlaces(db, id));
    },
  };
}

/** A build's record before it serves. */
function changeBuilds(context: RegistryContext): Pick<Builds, "begin" | "refuse"> {
  const { db, now } = context;
  return {
    begin: (ref, build) =>
      inApplication(context, ref, async (tx, application) => {
        const row = await insertBuild(tx, application.id, {
          id: build.id,
          status: "preparing",
          created_by: storableText(build.by),
          created_at: now(),
          routes: null,
          size: build.size,
          sdk_version: storableText(build.sdkVersion),
          message: storableText(build.message),
          refusal: null,
          live_since: null,
          allow: JSON.stringify(build.allow),
          manifest_hash: build.manifestHash,
          schema: null,
          archive_hash: build.archiveHash,
          git_commit: build.commit === null ? null : storableText(build.commit),
          kind: "hosted",
          has_evals: build.hasEvals ? 1 : null,
          evaluations: null,
        });
        return done(buildDocument(row, NOWHERE));
      }),

    // In a transaction, which waits for those of other replicas: a build that is being activated stays.
    refuse: (buildId, reason, lease = null) =>
      db.transaction().execute(async (tx) => {
        if ((await lostLease(tx, lease)) !== undefined) return false;
        const refused = await tx
          .updateTable("builds")
          .set({ status: "refused", refusal: storableText(reason) })
          .where("id", "=", buildId)
          .where("status", "in", UNFINISHED)
          .returning("id")
          .execute();
        return refused.length > 0;
      }),
  };
}

const NOWHERE: LivePlaces = new Map();

/** `starting` is what servers of earlier releases write, under a lease of the application. */
const UNFINISHED = ["preparing", "starting"] as const;

/** What `deployments/` has to run and to keep. */
function hostedBuilds(context: RegistryContext): Pick<Builds, "live" | "unfinished" | "kept"> {
  const { db } = context;
  return {
    async live(applicationId) {
      const all = selectHosted(db);
      const rows = await (applicationId === undefined
        ? all
        : all.where("builds.application_id", "=", applicationId)
      ).execute();
      return rows.map(({ environment_id: id, application_slug, ...row }) => ({
        environment: {
          project: row.project_id,
          application: { id: row.application_id, slug: application_slug },
          id,
          slug: row.environment,
          isDefault: row.is_default === 1,
          number: row.environment_number,
          playground: row.playground === 1,
        },
        build: buildDocument(row, new Map([[row.id, [row.environment]]])),
        since: row.build_since ?? row.deployed_at,
      }));
    },

    async unfinished() {
      const rows = await db
        .selectFrom("builds")
        .select(["id", "application_id", "status"])
        .where("status", "in", UNFINISHED)
        .execute();
      return rows.map(({ id, application_id, status }) => ({
        id,
        leaseKey: status === "starting" ? application_id : id,
      }));
    },

    async kept(applicationId) {
      const newest = await db
        .selectFrom("builds")
        .select(["id", "status"])
        .where("application_id", "=", applicationId)
        .where("status", "!=", "refused")
        .orderBy("number", "desc")
        .execute();
      const kept = new Set([
        ...(await keptByEnvironments(db, applicationId)),
        ...(await buildsOfRuns(context, applicationId)),
      ]);
      let retired = 0;
      for (const { id, status } of newest) {
        const isUnfinished = status === "preparing" || status === "starting";
        if (isUnfinished || ++retired <= KEPT_BUILDS) kept.add(id);
      }
      return kept;
    },
  };
}

/** The live hosted builds with their environments, oldest deployment first. */
function selectHosted(db: RegistryDatabase) {
  return db
    .selectFrom("deployments")
    .innerJoin("builds", "builds.id", "deployments.build_id")
    .innerJoin("environments", "environments.id", "deployments.environment_id")
    .innerJoin("applications", "applications.id", "deployments.application_id")
    .selectAll("builds")
    .select([
      "applications.project_id",
      "applications.slug as application_slug",
      "environments.id as environment_id",
      "environments.slug as environment",
      "environments.number as environment_number",
      "environments.is_default",
      "environments.playground",
      "deployments.build_since",
      "deployments.deployed_at",
    ])
    .where("deployments.ended_at", "is", null)
    .where("builds.kind", "=", "hosted")
    .orderBy("deployments.deployed_at");
}

/** How many of an application's newest builds keep their files, wherever they served. */
export const KEPT_BUILDS = 10;
/** How many builds of each environment keep their files: what it can be rolled back to. */
export const KEPT_IN_ENVIRONMENT = 5;

/** Ids of the builds that each environment had last, the live one included. */
async function keptByEnvironments(
  db: RegistryDatabase,
  applicationId: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("deployments")
    .select(["environment_id", "build_id"])
    .where("application_id", "=", applicationId)
    .where("build_id", "is not", null)
    .groupBy(["environment_id", "build_id"])
    .orderBy((eb) => eb.fn.max("number"), "desc")
    .execute();
  const counts = new Map<string, number>();
  return rows.flatMap(({ environment_id, build_id }) => {
    const count = (counts.get(environment_id) ?? 0) + 1;
    counts.set(environment_id, count);
    return build_id !== null && count <= KEPT_IN_ENVIRONMENT ? [build_id] : [];
  });
}
