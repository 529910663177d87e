import type { ConfigNote, RouteParams, RouteSchema, VariantRevision } from "@agate/protocol";
import { configNotes, shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { BuildRow } from "./build-rows.ts";
import { findBuild, findLiveBuild, routesOfBuild } from "./build-rows.ts";
import type { PinnedChange, PinnedConfig } from "./deployment-change.ts";
import type { DeploymentRow, EnvironmentRow } from "./environment-rows.ts";
import { findEnvironment, findLiveIn } from "./environment-rows.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refusalOf, refused } from "./registry-outcome.ts";
import { completeParams, droppedFields, droppedRoutes } from "./schema/effective-params.ts";
import { readSchema, revisionMisfits } from "./schema/revision-misfits.ts";
import type { FoundRevision } from "./variant-rows.ts";
import { findRevision, findVariant, insertRevision, insertVariant } from "./variant-rows.ts";

/** What a change makes live, found to be fine. */
export interface ChangePlan {
  readonly environment: EnvironmentRow;
  /** What is live until then. */
  readonly live: DeploymentRow | undefined;
  readonly build: BuildRow;
  /** Null while the build has not answered. */
  readonly routes: readonly RouteSchema[] | null;
  readonly config: PlannedConfig;
  readonly notes: readonly ConfigNote[];
}

type PlannedConfig =
  | ({ readonly kind: "revision" } & FoundRevision)
  | Extract<PinnedConfig, { readonly kind: "first" }>;

/** The variant of a deploy that names none, where nothing is live. */
const DEFAULT_VARIANT = "default";

/**
 * Whether what would be live together fits together. Only the environment that changes is looked at.
 *
 * @param openapi What the build answers as its `/openapi.json`; undefined: what it answered before.
 */
export async function planChange(
  db: RegistryDatabase,
  applicationId: string,
  change: PinnedChange,
  openapi: unknown,
): Promise<RegistryOutcome<ChangePlan>> {
  const environment = await findEnvironment(db, applicationId, change.environment.id);
  if (environment.kind === "refused") return environment;
  const live = await findLiveIn(db, environment.value);
  const build = await buildOf(db, environment.value, change);
  if (build.kind === "refused") return build;
  const read = openapi === undefined ? done(routesOfBuild(build.value)) : readSchema(openapi);
  if (read.kind === "refused") return read;
  const routes = read.value;
  const known = routes ?? [];
  const config = await configOf(db, applicationId, change, live);
  if (config.kind === "refused") return config;
  const { slug } = environment.value;
  const planned = config.value;
  const params = planned.kind === "first" ? {} : (JSON.parse(planned.params) as RouteParams);
  const misfits =
    planned.kind === "first" || change.accepts === "anything"
      ? []
      : revisionMisfits(slug, planned, known, change.loc);
  const losses =
    change.accepts === "compatible" && routes !== null
      ? await findLosses(db, environment.value, params, routes)
      : [];
  const refusal = refusalOf([...misfits, ...losses]);
  if (refusal !== undefined) return refusal;
  const notes = planned.kind === "first" ? [] : configNotes(params, known);
  const plan = { environment: environment.value, live, build: build.value, routes, notes };
  return done({ ...plan, config: planned });
}

async function buildOf(
  db: RegistryDatabase,
  environment: EnvironmentRow,
  { build }: PinnedChange,
): Promise<RegistryOutcome<BuildRow>> {
  if (build === null) {
    const live = await findLiveBuild(db, environment.id);
    return live === undefined ? refused(buildMissing(environment.slug)) : done(live);
  }
  const found = await findBuild(db, environment.application_id, build.id);
  if (found.kind === "refused" || found.value.status !== "refused") return found;
  // Another replica may have refused it, and deleted its files.
  const msg = `Build ${found.value.number} was refused, and can no longer be activated. Deploy it again.`;
  return refused({ type: "build_unusable", loc: ["path", "build"], msg });
}

function buildMissing(environment: string): RegistryProblem {
  const msg = `No code is deployed to ${shownValue(environment)}. Deploy a build there first: agate deploy app.ts --environment ${environment}. For a workflow that runs elsewhere, put its /openapi.json to …/schema?environment=${environment}.`;
  return { type: "build_missing", loc: ["path", "environment"], msg };
}

async function configOf(
  db: RegistryDatabase,
  applicationId: string,
  { config, loc }: PinnedChange,
  live: DeploymentRow | undefined,
): Promise<RegistryOutcome<PlannedConfig>> {
  if (config?.kind === "first") return done(config);
  const pinned = config ?? (live && { variantId: live.variant_id, revision: live.revision });
  if (pinned === undefined) {
    const known = await findVariant(db, applicationId, DEFAULT_VARIANT);
    if (known.kind === "refused" || known.value.latest_revision === 0) {
      return done({ kind: "first", variant: DEFAULT_VARIANT });
    }
  }
  const { variantId: variant, revision } = pinned ?? { variantId: DEFAULT_VARIANT, revision: null };
  const found = await findRevision(
    db,
    applicationId,
    { kind: "variant", variant, revision },
    () => loc,
  );
  return found.kind === "refused" ? found : done({ kind: "revision", ...found.value });
}

/** Where nothing is ever lost: its code changes with every save. */
const DEVELOPMENT = "development";
/** A route that was called since then is in use. */
const IN_USE_MS = 7 * 24 * 60 * 60 * 1000;

/** What an environment would lose: values that its configuration sets, and routes that are called. */
async function findLosses(
  db: RegistryDatabase,
  environment: EnvironmentRow,
  params: RouteParams,
  routes: readonly RouteSchema[],
): Promise<readonly RegistryProblem[]> {
  const live = await findLiveBuild(db, environment.id);
  const before = live && routesOfBuild(live);
  if (!before || environment.slug === DEVELOPMENT) return [];
  const since = new Date(Date.now() - IN_USE_MS).toISOString();
  const called = await db
    .selectFrom("route_calls")
    .select("route")
    .where("environment_id", "=", environment.id)
    .where("last_called_at", ">=", since)
    .execute();
  const inUse = new Set(called.map(({ route }) => route));
  return [
    ...droppedRoutes(before, routes)
      .filter((route) => inUse.has(route))
      .map((route) =>
        breaking(
          `${route} was called in ${environment.slug} within the last 7 days, and the build has no such route.`,
        ),
      ),
    ...droppedFields(params, before, routes).map(({ route, field, value }) =>
      breaking(
        `${environment.slug} would run a revision that sets ${route}.${field} to ${shownValue(value)}, and the build has no such field.`,
      ),
    ),
  ];
}

function breaking(msg: string): RegistryProblem {
  const hint = "Allow it if that is intended (--allow-breaking).";
  return { type: "breaking_change", loc: [], msg: `${msg} ${hint}` };
}

/** The revision that a plan pins, made where it is to be the variant's first. The application is locked. */
export async function pinRevision(
  tx: RegistryDatabase,
  applicationId: string,
  { config, routes }: ChangePlan,
  { by, at, isSparse }: { readonly by: string; readonly at: string; readonly isSparse: boolean },
): Promise<VariantRevision> {
  if (config.kind === "revision") return config.variant;
  const { variant: slug } = config;
  const known = await findVariant(tx, applicationId, slug);
  const id =
    known.kind === "done"
      ? known.value.id
      : await insertVariant(tx, applicationId, slug, { at, forkedFrom: null });
  const params = JSON.stringify(isSparse ? {} : completeParams({}, routes ?? []));
  const message = "All defaults, made by a deploy.";
  await insertRevision(tx, { id, revision: 1 }, { params, by, message, at });
  return { id, slug, revision: 1 };
}
