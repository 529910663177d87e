import { shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { deployTarget } from "./deploy-target.ts";
import { newId } from "./new-id.ts";
import { planActivation } from "./plan-activation.ts";
import { lostLease } from "./queries/check-lease.ts";
import { findApplication } from "./queries/find-application.ts";
import { buildDocument, findBuild } from "./queries/find-build.ts";
import { pageOf, rowsFor } from "./queries/page.ts";
import { storableText } from "./queries/storable-text.ts";
import type { Builds } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { announcing, inApplication } from "./registry-context.ts";
import type { RegistryProblem } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";
import { storeSchema } from "./schema/application-schema.ts";

export function createBuilds(context: RegistryContext): Builds {
  const { db, now } = context;
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

    begin: (ref, { by, message, size, sdkVersion, allow, manifestHash }, turn = null) =>
      inApplication(context, ref, async (tx, application) => {
        const lost = await lostLease(tx, application.id, turn);
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
        } as const;
        await tx.insertInto("builds").values(row).execute();
        return done(buildDocument(row));
      }),

    async refuse(buildId, reason) {
      await db
        .transaction()
        .execute((tx) => giveUp(tx, reason).where("id", "=", buildId).execute());
    },

    async check(ref, openapi, target) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const plan = await planActivation(db, application.value.id, openapi, target);
      if (plan.kind === "refused") return plan;
      return done({ routes: plan.value.routes, updated_at: now() });
    },

    activate: (ref, buildId, openapi, target, turn = null) => {
      // The schema alone alters no configuration.
      const topics = target === null ? (["builds"] as const) : (["builds", "config"] as const);
      return announcing(topics, context, ref, async (tx, application) => {
        const found = await findBuild(tx, application.id, buildId);
        if (found.kind === "refused") return found;
        // Another replica may have given it up: its files are not kept any more then.
        if (found.value.status === "refused") return refused(refusedBefore(found.value.number));
        const lost = await lostLease(tx, application.id, turn);
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

    retire: (ref, turn = null) =>
      announcing(["builds"], context, ref, async (tx, application) => {
        const lost = await lostLease(tx, application.id, turn);
        if (lost !== undefined) return refused(lost);
        const retired = await endLiveBuild(tx, application.id);
        if (retired !== undefined) return done(buildDocument(retired));
        const msg = `No build serves ${shownValue(application.slug)}: there is nothing to stop.`;
        return refused({ type: "build_not_found", loc: ["path", "app"], msg });
      }),

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

    async refuseUnfinished(applicationIds, reason) {
      if (applicationIds.length === 0) return [];
      const rows = await db
        .transaction()
        .execute((tx) =>
          giveUp(tx, reason)
            .where("application_id", "in", applicationIds)
            .returning("id")
            .execute(),
        );
      return rows.map(({ id }) => id);
    },

    async refuseUnfinishedOf(applicationId, reason, turn) {
      const rows = await db.transaction().execute(async (tx) => {
        if ((await lostLease(tx, applicationId, turn)) !== undefined) return [];
        return giveUp(tx, reason)
          .where("application_id", "=", applicationId)
          .returning("id")
          .execute();
      });
      return rows.map(({ id }) => id);
    },
  };
}

/**
 * One that has served keeps its history. In a transaction, which waits for those of other replicas: one
 * that is about to serve is not given up.
 */
function giveUp(tx: RegistryDatabase, reason: string) {
  return tx
    .updateTable("builds")
    .set({ status: "refused", refusal: storableText(reason) })
    .where("status", "=", "starting");
}

function refusedBefore(number: number): RegistryProblem {
  const msg = `Build ${number} was refused, and cannot serve any more. Deploy it again.`;
  return { type: "build_unusable", loc: ["path", "build"], msg };
}

/** The build that served until now. The application is locked. */
function endLiveBuild(tx: RegistryDatabase, applicationId: string) {
  return tx
    .updateTable("builds")
    .set({ status: "retired" })
    .where("application_id", "=", applicationId)
    .where("status", "=", "live")
    .returningAll()
    .executeTakeFirst();
}
