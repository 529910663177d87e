import type {
  ResolvedConfig,
  Revision,
  RevisionRef,
  RouteParams,
  VariantRevision,
} from "@agate/protocol";
import { diffParams } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { findSchemaBuild } from "./application-schema.ts";
import { findLiveBuild, findRepresentativeBuild, routesOfBuild } from "./build-rows.ts";
import type { DeploymentRow } from "./environment-rows.ts";
import { selectLive } from "./environment-rows.ts";
import type { ApplicationRef, DeployedPair, Revisions } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { changeConfig, findApplication, pageOf, rowsFor } from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";
import type { ParamsFault } from "./schema/check-params.ts";
import { checkParams } from "./schema/check-params.ts";
import { completeParams } from "./schema/effective-params.ts";
import type { FoundRevision, RevisionRow } from "./variant-rows.ts";
import {
  findDeployedWith,
  findNumbered,
  findRevision,
  findVariant,
  insertRevision,
} from "./variant-rows.ts";

export function createRevisions(context: RegistryContext): Revisions {
  const { db, now } = context;
  return {
    async list(ref, variant, page) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const found = await findVariant(db, application.value.id, variant);
      if (found.kind === "refused") return found;
      const { id, slug } = found.value;
      const { limit, below } = rowsFor(page);
      const rows = await db
        .selectFrom("revisions")
        .select(["revision as number", "message", "created_by", "created_at"])
        .where("variant_id", "=", id)
        .where("revision", "<", below)
        .orderBy("revision", "desc")
        .limit(limit)
        .execute();
      const live = await liveOf(db, application.value.id, id);
      return done(
        pageOf(rows, page, ({ number: revision, ...row }) => ({
          variant: { id, slug, revision },
          ...row,
          environments: environmentsIn(live, revision),
        })),
      );
    },

    async get(ref, variant, revision) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { id } = application.value;
      const found = await findNumbered(db, id, { variant, revision }, (part) => ["path", part]);
      if (found.kind === "refused") return found;
      const { variant: pinned, row } = found.value;
      const live = await liveOf(db, id, pinned.id);
      return done(revisionDocument(pinned, row, environmentsIn(live, pinned.revision)));
    },

    commit: (ref, variant, { params, baseRevision, environment = null, ...authorship }) =>
      changeConfig(context, ref, async (tx, application) => {
        const found = await findVariant(tx, application.id, variant);
        if (found.kind === "refused") return found;
        const { id, slug, latest_revision: latest } = found.value;
        if (baseRevision !== latest) return refused(staleProblem(slug, baseRevision, latest));
        const loc = ["body", "environment"];
        const build = await findSchemaBuild(tx, application.id, environment, loc);
        if (build.kind === "refused") return build;
        const checked = checkParams(params, (build.value && routesOfBuild(build.value)) ?? null);
        if (checked.kind === "invalid") {
          const [first, ...others] = checked.faults;
          return refused(paramsProblem(first), ...others.map(paramsProblem));
        }
        const variantRevision = { id, slug, revision: latest + 1 };
        const commit = { ...authorship, params: checked.json, at: now() };
        const row = await insertRevision(tx, variantRevision, commit);
        return done(revisionDocument(variantRevision, row, []));
      }),

    async diff(ref, from, to) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { id } = application.value;
      const [before, after] = [
        await findRevision(db, id, from, () => ["query", "from"]),
        await findRevision(db, id, to, () => ["query", "to"]),
      ];
      if (before.kind === "refused") return before;
      if (after.kind === "refused") return after;
      const routes = diffParams(
        await effectiveParams(db, id, before.value),
        await effectiveParams(db, id, after.value),
      );
      return done({ from: before.value.variant, to: after.value.variant, routes });
    },
  };
}

/** The values that the code goes by: of the environment that was asked for, else of the application. */
async function effectiveParams(
  db: RegistryDatabase,
  applicationId: string,
  { params, environment }: FoundRevision,
): Promise<RouteParams> {
  const build =
    environment === null
      ? await findRepresentativeBuild(db, applicationId)
      : await findLiveBuild(db, environment.id);
  const routes = build && routesOfBuild(build);
  return completeParams(JSON.parse(params) as RouteParams, routes ?? []);
}

/** What of a variant is live somewhere: few, however many revisions there are. */
function liveOf(
  db: RegistryDatabase,
  applicationId: string,
  variantId: string,
): Promise<DeploymentRow[]> {
  return selectLive(db, applicationId).where("deployments.variant_id", "=", variantId).execute();
}

function environmentsIn(live: readonly DeploymentRow[], revision: number): string[] {
  return live.filter((row) => row.revision === revision).map(({ environment }) => environment);
}

function revisionDocument(
  variant: VariantRevision,
  { params, message, created_by, created_at }: RevisionRow,
  environments: readonly string[],
): Revision {
  const parsed = JSON.parse(params) as RouteParams;
  return { variant, params: parsed, message, created_by, created_at, environments };
}

function paramsProblem({ path, msg }: ParamsFault): RegistryProblem {
  return { type: "params_invalid", loc: ["body", "params", ...path], msg };
}

function staleProblem(variant: string, base: number, latest: number): RegistryProblem {
  const why =
    base < latest
      ? `${variant} is at revision ${latest} by now: a newer revision exists. Look at what changed, and`
      : `${variant} has no revision ${base}, but ${latest === 0 ? "none" : `${latest} at most`}:`;
  const msg = `${why} commit again with base_revision ${latest}.`;
  return { type: "revision_stale", loc: ["body", "base_revision"], msg };
}

/** What a running workflow asks for: see docs/reference/config-resolution.md. */
export async function resolveConfig(
  { db }: RegistryContext,
  ref: ApplicationRef,
  which: RevisionRef,
  pair?: DeployedPair,
): Promise<RegistryOutcome<ResolvedConfig>> {
  const application = await findApplication(db, ref);
  if (application.kind === "refused") return application;
  const { id, slug } = application.value;
  const found =
    which.kind === "environment" && pair !== undefined
      ? await findDeployedWith(db, id, pair)
      : await findRevision(db, id, which, (part) => ["query", part]);
  if (found.kind === "refused") {
    const [problem] = found.problems;
    if (which.kind === "environment" && problem.type === "deployment_not_found") {
      const { environment } = which;
      // The workflow's own log shows this message: it names the command to run.
      const msg = `Nothing is deployed to ${environment} of ${slug}. Deploy a revision: agate deployments create ${slug} ${environment} default.`;
      return refused({ ...problem, msg });
    }
    const asksForLatest = which.kind === "variant" && which.revision === null;
    return asksForLatest && problem.type === "revision_not_found"
      ? refused({ ...problem, type: "variant_not_found", loc: ["query", "variant"] })
      : found;
  }
  const { variant, environment, params } = found.value;
  return done({
    application: { id, slug },
    variant,
    environment: environment?.slug ?? null,
    params: JSON.parse(params) as RouteParams,
  });
}
