import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { buildDocument, findLivePlaces, mirrorLiveBuild } from "./build-rows.ts";
import type { LeaseToken } from "./deploy-leases.ts";
import { lostLease } from "./deploy-leases.ts";
import type { Activation, PinnedChange } from "./deployment-change.ts";
import {
  deploymentDocument,
  endLive,
  findEnvironment,
  findLiveIn,
  insertDeployment,
  selectDeployments,
} from "./environment-rows.ts";
import { pinChange } from "./pin-change.ts";
import type { ChangePlan } from "./plan-change.ts";
import { pinRevision, planChange } from "./plan-change.ts";
import type { Deployments } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { announcing, findApplication, pageOf, rowsFor } from "./registry-context.ts";
import type { RegistryRefusal } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";
import { nothingLive } from "./variant-rows.ts";

export function createDeployments(context: RegistryContext): Deployments {
  const { db, now } = context;
  return {
    async list(ref, environment, page) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { limit, below } = rowsFor(page);
      let query = selectDeployments(db, application.value.id)
        .where("deployments.number", "<", below)
        .orderBy("deployments.number", "desc")
        .limit(limit);
      if (environment !== null) {
        const found = await findEnvironment(db, application.value.id, environment);
        if (found.kind === "refused") return found;
        query = query.where("deployments.environment_id", "=", found.value.id);
      }
      return done(pageOf(await query.execute(), page, deploymentDocument));
    },

    async pin(ref, request) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      return pinChange(db, application.value, request);
    },

    async check(ref, change, openapi) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const plan = await planChange(db, application.value.id, change, openapi);
      if (plan.kind === "refused") return plan;
      const { routes, notes } = plan.value;
      return done({ routes: routes ?? [], notes });
    },

    apply: (ref, change, { openapi, leases = [] } = {}) =>
      announcing(["config", "builds"], context, ref, async (tx, application) => {
        const lost = await lostAny(tx, leases);
        if (lost !== undefined) return lost;
        const plan = await planChange(tx, application.id, change, openapi);
        if (plan.kind === "refused") return plan;
        return done(await applyPlan(tx, plan.value, change, now()));
      }),

    takeDown: (ref, environment, lease = null) =>
      announcing(["config", "builds"], context, ref, async (tx, application) => {
        const lost = await lostAny(tx, lease === null ? [] : [lease]);
        if (lost !== undefined) return lost;
        const found = await findEnvironment(tx, application.id, environment);
        if (found.kind === "refused") return found;
        const live = await findLiveIn(tx, found.value);
        if (live === undefined) {
          return refused(nothingLive(found.value.slug, ["path", "environment"]));
        }
        const at = now();
        await endLive(tx, found.value.id, at);
        await mirrorLiveBuild(tx, application.id, at);
        return done(deploymentDocument({ ...live, ended_at: at }));
      }),
  };
}

async function lostAny(
  tx: RegistryDatabase,
  leases: readonly LeaseToken[],
): Promise<RegistryRefusal | undefined> {
  for (const lease of leases) {
    const lost = await lostLease(tx, lease);
    if (lost !== undefined) return refused(lost);
  }
  return undefined;
}

/** Makes a plan live. The application is locked. */
export async function applyPlan(
  tx: RegistryDatabase,
  plan: ChangePlan,
  { origin, restarts, by, message }: Pick<PinnedChange, "origin" | "restarts" | "by" | "message">,
  at: string,
  { isSparse = false }: { readonly isSparse?: boolean } = {},
): Promise<Activation> {
  const { environment, live, routes, notes } = plan;
  const applicationId = environment.application_id;
  const build = await tx
    .updateTable("builds")
    .set((eb) => ({
      ...(routes && {
        routes: JSON.stringify(routes.map(({ route }) => route)),
        schema: JSON.stringify(routes),
      }),
      // It has served: it is never refused any more.
      status: eb
        .case()
        .when("status", "=", "live")
        .then("live" as const)
        .else("retired" as const)
        .end(),
    }))
    .where("id", "=", plan.build.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const variant = await pinRevision(tx, applicationId, plan, { by, at, isSparse });
  const isSame = live?.build_id === build.id && !restarts;
  const since = (isSame ? live.build_since : null) ?? at;
  const deployment = await insertDeployment(tx, applicationId, {
    environmentId: environment.id,
    buildId: build.id,
    buildSince: since,
    variant,
    origin,
    by,
    message,
    at,
  });
  await mirrorLiveBuild(tx, applicationId, at);
  const places = await findLivePlaces(tx, applicationId);
  return { build: buildDocument(build, places), deployment, notes, since };
}
