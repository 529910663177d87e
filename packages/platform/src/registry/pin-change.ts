import { looksLikeId, shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { buildDocument, findBuild, findLivePlaces } from "./build-rows.ts";
import type { ChangeRequest, MovedParts, PinnedChange, PinnedConfig } from "./deployment-change.ts";
import type { DeploymentRow, EnvironmentRow } from "./environment-rows.ts";
import {
  findEnvironment,
  findLiveIn,
  hostedEnvironment,
  selectDeployments,
} from "./environment-rows.ts";
import { nameOf, slugProblem } from "./names.ts";
import type { ApplicationRow } from "./registry-context.ts";
import type { RegistryOutcome } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";
import { findRevision, findVariant, nothingLive } from "./variant-rows.ts";

type Request<Kind extends ChangeRequest["kind"]> = Extract<ChangeRequest, { readonly kind: Kind }>;
type Pinned = RegistryOutcome<Omit<PinnedChange, "environment" | "by" | "message" | "accepts">>;

/** Finds what a change names: what it promotes stays what it was when the request came. */
export async function pinChange(
  db: RegistryDatabase,
  application: ApplicationRow,
  request: ChangeRequest,
): Promise<RegistryOutcome<PinnedChange>> {
  const { environment: name, environmentLoc, by, message, accepts } = request;
  const found = await findEnvironment(db, application.id, name, environmentLoc);
  if (found.kind === "refused") return found;
  const pinned = await pinIn(db, found.value, request);
  if (pinned.kind === "refused") return pinned;
  const environment = hostedEnvironment(application, found.value);
  return done({ ...pinned.value, environment, by, message, accepts });
}

function pinIn(
  db: RegistryDatabase,
  environment: EnvironmentRow,
  request: ChangeRequest,
): Promise<Pinned> {
  switch (request.kind) {
    case "deploy":
      return pinDeploy(db, environment, request);
    case "promotion":
      return pinPromotion(db, environment, request);
    case "rollback":
      return pinRollback(db, environment, request);
  }
}

async function pinDeploy(
  db: RegistryDatabase,
  { application_id: applicationId }: EnvironmentRow,
  { build, config, configIn }: Request<"deploy">,
): Promise<Pinned> {
  const found = build === null ? null : await findBuild(db, applicationId, build);
  if (found?.kind === "refused") return found;
  const pinned = config && (await pinConfig(db, applicationId, config, configIn));
  if (pinned?.kind === "refused") return pinned;
  const places = await findLivePlaces(db, applicationId);
  return done({
    build: found && buildDocument(found.value, places),
    config: pinned?.value ?? null,
    origin: { kind: "deploy" },
    restarts: build !== null,
    loc: [configIn, "variant"],
  });
}

/** A variant that has no revision, or does not exist, gets a first one. */
async function pinConfig(
  db: RegistryDatabase,
  applicationId: string,
  { variant, revision }: { readonly variant: string; readonly revision: number | null },
  place: "query" | "body",
): Promise<RegistryOutcome<PinnedConfig>> {
  const placeOf = (part: string) => [place, part];
  // Only a deploy of code makes variants: a configuration that is deployed alone has to exist.
  if (revision === null && place === "query") {
    const known = await findVariant(db, applicationId, variant, placeOf("variant"));
    if (known.kind === "done" && known.value.latest_revision === 0) {
      return done({ kind: "first", variant: known.value.slug });
    }
    if (known.kind === "refused") {
      if (looksLikeId(variant)) return known;
      const fault = slugProblem(variant, placeOf("variant"));
      return fault === undefined ? done({ kind: "first", variant }) : refused(fault);
    }
  }
  const which = { kind: "variant", variant, revision } as const;
  const found = await findRevision(db, applicationId, which, placeOf);
  if (found.kind === "refused") return found;
  const { id, revision: number } = found.value.variant;
  return done({ kind: "revision", variantId: id, revision: number });
}

async function pinPromotion(
  db: RegistryDatabase,
  environment: EnvironmentRow,
  { from, expect, parts }: Request<"promotion">,
): Promise<Pinned> {
  const loc = ["body", "from"];
  const source = await findEnvironment(db, environment.application_id, from, loc);
  if (source.kind === "refused") return source;
  const live = await findLiveIn(db, source.value);
  if (live === undefined) return refused(nothingLive(source.value.slug, loc));
  if (expect !== null && live.id !== expect) {
    const msg = `${source.value.slug} runs deployment ${live.id} by now, and not ${shownValue(expect)}. Look at what changed, and promote again.`;
    return refused({ type: "deployment_stale", loc: ["body", "expect"], msg });
  }
  const { id, slug } = source.value;
  const origin = { kind: "promotion", from: { id, slug } } as const;
  return pinMove(db, environment, live, parts, { origin, loc });
}

async function pinRollback(
  db: RegistryDatabase,
  environment: EnvironmentRow,
  { deployment, parts }: Request<"rollback">,
): Promise<Pinned> {
  const loc = ["body", "deployment"];
  const target =
    deployment === null
      ? await findPrevious(db, environment, parts)
      : await historyOf(db, environment)
          .where("deployments.id", "=", nameOf(deployment).value)
          .executeTakeFirst();
  if (target === undefined) {
    const name = shownValue(environment.slug);
    const msg =
      deployment === null
        ? `Nothing else was deployed to ${name} before: there is nothing to go back to.`
        : `${name} has no deployment ${shownValue(deployment)} in its history. Take an id from the list of its deployments.`;
    return refused({ type: "deployment_not_found", loc, msg });
  }
  const origin = { kind: "rollback", to: target.id } as const;
  return pinMove(db, environment, target, parts, { origin, loc });
}

/** What of an earlier deployment, or of another environment's, goes live. */
async function pinMove(
  db: RegistryDatabase,
  { application_id: applicationId }: EnvironmentRow,
  source: DeploymentRow,
  parts: MovedParts,
  { origin, loc }: Pick<PinnedChange, "origin" | "loc">,
): Promise<Pinned> {
  const { build_id: buildId, variant_id: variantId, variant_slug: variant, revision } = source;
  // History from before deployments had builds moves the configuration alone.
  const build =
    parts === "config" || buildId === null ? null : await findBuild(db, applicationId, buildId);
  if (build?.kind === "refused") return build;
  if (parts === "code" && build === null) {
    const msg = `Deployment ${source.id} has no build: it is from before deployments had any. Leave out code_only.`;
    return refused({ type: "build_missing", loc, msg });
  }
  if (parts !== "code") {
    const which = { kind: "variant", variant: variantId, revision } as const;
    const found = await findRevision(db, applicationId, which, () => loc);
    if (found.kind === "refused") {
      const msg = `Deployment ${source.id} ran ${variant}@${revision}, and that variant has been deleted since. Choose another deployment.`;
      return refused({ type: "variant_not_found", loc, msg });
    }
  }
  const places = await findLivePlaces(db, applicationId);
  return done({
    build: build && buildDocument(build.value, places),
    config: parts === "code" ? null : { kind: "revision", variantId, revision },
    origin,
    restarts: false,
    loc,
  });
}

/** The last deployment that differs in what moves; where nothing is live, the last that was. */
async function findPrevious(
  db: RegistryDatabase,
  environment: EnvironmentRow,
  parts: MovedParts,
): Promise<DeploymentRow | undefined> {
  const live = await findLiveIn(db, environment);
  const history = historyOf(db, environment);
  if (live === undefined) return history.executeTakeFirst();
  return history
    .where((eb) =>
      eb.or([
        ...(parts === "code"
          ? []
          : [
              eb("deployments.variant_id", "!=", live.variant_id),
              eb("deployments.revision", "!=", live.revision),
            ]),
        // What has no build cannot differ in it.
        ...(parts === "config" ? [] : [eb("deployments.build_id", "!=", live.build_id)]),
      ]),
    )
    .executeTakeFirst();
}

function historyOf(db: RegistryDatabase, { id, application_id }: EnvironmentRow) {
  return selectDeployments(db, application_id)
    .where("deployments.environment_id", "=", id)
    .orderBy("deployments.number", "desc")
    .limit(1);
}
