import type { Build, BuildPermission } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { Kysely, Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../stores/registry/registry-tables.ts";
import { nameOf, newId } from "./names.ts";
import { deployTarget, planActivation } from "./plan-activation.ts";
import type { Builds } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import {
  announcing,
  findApplication,
  inApplication,
  pageOf,
  rowsFor,
  storableText,
} from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";
import { storeSchema } from "./schema/application-schema.ts";

export function createBuilds(context: RegistryContext): Builds {
  return { ...readBuilds(context), ...deployBuilds(context), ...refuseBuilds(context) };
}

/** Queries of builds. */
function readBuilds({ db }: RegistryContext): Pick<Builds, "list" | "get" | "live" | "unfinished"> {
  return {
    async list(ref, page) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { limit, below } = rowsFor(page);
      const rows = await db
        .selectFrom("builds")
        .selectAll()
        .where("application_id", "=", application.value.id)
        .where("number", "<", below)
        .orderBy("number", "desc")
        .limit(limit)
        .execute();
      return done(pageOf(rows, page, buildDocument));
    },

    async get(ref, build) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const found = await findBuild(db, application.value.id, build);
      return found.kind === "refused" ? found : done(buildDocument(found.value));
    },

    async live(applicationId) {
      const all = db
        .selectFrom("builds")
        .innerJoin("applications", "applications.id", "builds.application_id")
        .selectAll("builds")
        .select(["applications.project_id", "applications.slug"])
        .where("builds.status", "=", "live")
        .orderBy("builds.created_at");
      const wanted =
        applicationId === undefined ? all : all.where("builds.application_id", "=", applicationId);
      return (await wanted.execute()).map(({ project_id: project, slug, ...build }) => ({
        project,
        application: { id: build.application_id, slug },
        build: buildDocument(build),
        since: build.live_since ?? build.created_at,
      }));
    },

    async unfinished() {
      const rows = await db
        .selectFrom("builds")
        .select("application_id")
        .distinct()
        .where("status", "=", "starting")
        .execute();
      return rows.map(({ application_id }) => application_id);
    },
  };
}

/** The steps of a deploy, each in one transaction. */
function deployBuilds(
  context: RegistryContext,
): Pick<Builds, "begin" | "check" | "activate" | "retire"> {
  const { db, now } = context;
  return {
    begin: (ref, { by, message, size, sdkVersion, allow, manifestHash }, token = null) =>
      inApplication(context, ref, async (tx, application) => {
        const lost = await lostLease(tx, application.id, token);
        if (lost !== undefined) return refused(lost);
        const { latest } = await tx
          .selectFrom("builds")
          .select(({ fn }) => fn.max("number").as("latest"))
          .where("application_id", "=", application.id)
          .executeTakeFirstOrThrow();
        const row = {
          id: newId("bld"),
          application_id: application.id,
          number: (latest ?? 0) + 1,
          status: "starting",
          created_by: storableText(by),
          created_at: now(),
          routes: null,
          size,
          sdk_version: storableText(sdkVersion),
          message: storableText(message),
          refusal: null,
          live_since: null,
          allow: JSON.stringify(allow),
          manifest_hash: manifestHash,
          schema: null,
          archive_hash: null,
          git_commit: null,
          kind: "hosted",
        } as const;
        await tx.insertInto("builds").values(row).execute();
        return done(buildDocument(row));
      }),

    async check(ref, openapi, target) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const plan = await planActivation(db, application.value.id, openapi, target);
      if (plan.kind === "refused") return plan;
      return done({ routes: plan.value.routes, updated_at: now() });
    },

    activate: (ref, buildId, openapi, target, token = null) => {
      // The schema alone alters no configuration.
      const topics = target === null ? (["builds"] as const) : (["builds", "config"] as const);
      return announcing(topics, context, ref, async (tx, application) => {
        const found = await findBuild(tx, application.id, buildId);
        if (found.kind === "refused") return found;
        // Another replica may have refused it, and deleted its files.
        if (found.value.status === "refused") return refused(refusedBefore(found.value.number));
        const lost = await lostLease(tx, application.id, token);
        if (lost !== undefined) return refused(lost);
        const plan = await planActivation(tx, application.id, openapi, target);
        if (plan.kind === "refused") return plan;
        const { routes, target: foundTarget } = plan.value;
        const at = now();
        await endLiveBuild(tx, application.id);
        const build = await tx
          .updateTable("builds")
          .set({
            status: "live",
            routes: JSON.stringify(routes.map(({ route }) => route)),
            live_since: at,
          })
          .where("id", "=", found.value.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await storeSchema(tx, application.id, routes, at);
        const deployment = foundTarget && (await deployTarget(tx, application.id, foundTarget, at));
        return done({ build: buildDocument(build), deployment, since: at });
      });
    },

    retire: (ref, token = null) =>
      announcing(["builds"], context, ref, async (tx, application) => {
        const lost = await lostLease(tx, application.id, token);
        if (lost !== undefined) return refused(lost);
        const retired = await endLiveBuild(tx, application.id);
        if (retired !== undefined) return done(buildDocument(retired));
        const msg = `${shownValue(application.slug)} has no live build to stop.`;
        return refused({ type: "build_not_found", loc: ["path", "app"], msg });
      }),
  };
}

/** Marks builds as refused. A build that was live is never refused: it keeps its history. */
function refuseBuilds({
  db,
}: RegistryContext): Pick<Builds, "refuse" | "refuseUnfinished" | "refuseUnfinishedOf"> {
  return {
    async refuse(buildId, reason) {
      await db
        .transaction()
        .execute((tx) => refuseStarting(tx, reason).where("id", "=", buildId).execute());
    },

    async refuseUnfinished(applicationIds, reason) {
      if (applicationIds.length === 0) return [];
      const rows = await db
        .transaction()
        .execute((tx) =>
          refuseStarting(tx, reason)
            .where("application_id", "in", applicationIds)
            .returning("id")
            .execute(),
        );
      return rows.map(({ id }) => id);
    },

    async refuseUnfinishedOf(applicationId, reason, token) {
      const rows = await db.transaction().execute(async (tx) => {
        if ((await lostLease(tx, applicationId, token)) !== undefined) return [];
        return refuseStarting(tx, reason)
          .where("application_id", "=", applicationId)
          .returning("id")
          .execute();
      });
      return rows.map(({ id }) => id);
    },
  };
}

/** In a transaction, which waits for those of other replicas: a build that is being activated stays. */
function refuseStarting(tx: RegistryDatabase, reason: string) {
  return tx
    .updateTable("builds")
    .set({ status: "refused", refusal: storableText(reason) })
    .where("status", "=", "starting");
}

function refusedBefore(number: number): RegistryProblem {
  const msg = `Build ${number} was refused, and can no longer be activated. Deploy it again.`;
  return { type: "build_unusable", loc: ["path", "build"], msg };
}

/** Retires the live build, if there is one. The application must be locked. */
function endLiveBuild(tx: RegistryDatabase, applicationId: string) {
  return tx
    .updateTable("builds")
    .set({ status: "retired" })
    .where("application_id", "=", applicationId)
    .where("status", "=", "live")
    .returningAll()
    .executeTakeFirst();
}

type BuildRow = Selectable<RegistryTables["builds"]>;

// Nine digits are less than 32 bits.
const NUMBER = /^[1-9]\d{0,8}$/;

/** By its number or its id. */
async function findBuild(
  db: RegistryDatabase,
  applicationId: string,
  build: string,
): Promise<RegistryOutcome<BuildRow>> {
  const query = db.selectFrom("builds").selectAll().where("application_id", "=", applicationId);
  const row = await (NUMBER.test(build)
    ? query.where("number", "=", Number(build))
    : query.where("id", "=", nameOf(build).value)
  ).executeTakeFirst();
  if (row !== undefined) return done(row);
  const msg = `There is no build ${shownValue(build)}. Use a number from the list of builds.`;
  return refused({ type: "build_not_found", loc: ["path", "build"], msg });
}

function buildDocument(row: BuildRow): Build {
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    created_by: row.created_by,
    created_at: row.created_at,
    routes: row.routes === null ? null : (JSON.parse(row.routes) as string[]),
    size: row.size,
    sdk_version: row.sdk_version,
    message: row.message,
    allow: row.allow === null ? null : (JSON.parse(row.allow) as BuildPermission[]),
    manifest_sha256: row.manifest_hash,
    refusal: row.refusal,
  };
}

interface LeaseTables {
  readonly deploy_leases: { readonly application_id: string; readonly token: number };
}

/**
 * The problem of a change without the deploy lock; undefined while the lock is held. A server that hangs
 * loses the lock to another, and must not finish its change when it wakes up.
 *
 * @param token Of the lock; null without other replicas.
 */
async function lostLease(
  tx: RegistryDatabase,
  applicationId: string,
  token: number | null,
): Promise<RegistryProblem | undefined> {
  if (token === null) return undefined;
  // Locks the row: the next holder gets the lock after this transaction.
  const lease = await (tx as unknown as Kysely<LeaseTables>)
    .selectFrom("deploy_leases")
    .select("token")
    .where("application_id", "=", applicationId)
    .forUpdate()
    .executeTakeFirst();
  if (lease?.token === token) return undefined;
  const msg =
    "This server did not respond for too long, and another deploy of the application went ahead. Nothing was changed: deploy again.";
  return { type: "deploy_superseded", loc: ["path", "app"], msg };
}
