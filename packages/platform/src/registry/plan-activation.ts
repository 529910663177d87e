import type { Deployment, RouteSchema, VariantRevision } from "@agate/protocol";
import { looksLikeId } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { EnvironmentRow } from "./environment-rows.ts";
import { findEnvironment, insertDeployment } from "./environment-rows.ts";
import { slugProblem } from "./names.ts";
import type { Authorship, DeployTarget } from "./registry.ts";
import type { RegistryOutcome } from "./registry-outcome.ts";
import { done, refusalOf, refused } from "./registry-outcome.ts";
import { liveMisfits, readSchema, revisionMisfits } from "./schema/application-schema.ts";
import type { FoundRevision } from "./variant-rows.ts";
import { findRevision, findVariant, insertRevision, insertVariant } from "./variant-rows.ts";

/** A target with what it names found. */
export interface FoundTarget extends Authorship {
  readonly environment: EnvironmentRow;
  readonly what:
    | { readonly kind: "revision"; readonly revision: FoundRevision }
    /** The variant gets a first revision, with all defaults. Without an id it is to be made as well. */
    | { readonly kind: "defaults"; readonly variantId: string | null; readonly slug: string };
}

/** Finds what a target names. Changes nothing. */
export async function findTarget(
  db: RegistryDatabase,
  applicationId: string,
  target: DeployTarget,
): Promise<RegistryOutcome<FoundTarget>> {
  const { variant, revision, by, message } = target;
  const inQuery = (part: string) => ["query", part];
  const place = inQuery("environment");
  const environment = await findEnvironment(db, applicationId, target.environment, place);
  if (environment.kind === "refused") return environment;
  const found = (what: FoundTarget["what"]) =>
    done({ environment: environment.value, what, by, message });

  if (revision === null) {
    const known = await findVariant(db, applicationId, variant, inQuery("variant"));
    if (known.kind === "refused") {
      if (looksLikeId(variant)) return known;
      const fault = slugProblem(variant, inQuery("variant"));
      if (fault !== undefined) return refused(fault);
      return found({ kind: "defaults", variantId: null, slug: variant });
    }
    const { id, slug, latest_revision: latest } = known.value;
    if (latest === 0) return found({ kind: "defaults", variantId: id, slug });
  }
  const which = { kind: "variant", variant, revision } as const;
  const pinned = await findRevision(db, applicationId, which, inQuery);
  return pinned.kind === "refused" ? pinned : found({ kind: "revision", revision: pinned.value });
}

/** Makes a target that was found live. The application is locked. */
export async function deployTarget(
  tx: RegistryDatabase,
  applicationId: string,
  { environment, what, by, message }: FoundTarget,
  at: string,
): Promise<Deployment> {
  const variant =
    what.kind === "revision"
      ? what.revision.variant
      : await insertDefaults(tx, applicationId, what, { by, at });
  return insertDeployment(tx, applicationId, {
    environmentId: environment.id,
    variant,
    origin: { kind: "deploy" },
    by,
    message,
    at,
  });
}

async function insertDefaults(
  tx: RegistryDatabase,
  applicationId: string,
  { variantId, slug }: { readonly variantId: string | null; readonly slug: string },
  { by, at }: { readonly by: string; readonly at: string },
): Promise<VariantRevision> {
  const id = variantId ?? (await insertVariant(tx, applicationId, slug, { at, forkedFrom: null }));
  const revision = 1;
  const message = "All defaults, made by a deploy.";
  await insertRevision(tx, { id, revision }, { params: "{}", by, message, at });
  return { id, slug, revision };
}

/** What a build that goes live brings with it, found to be fine. */
interface ActivationPlan {
  readonly routes: readonly RouteSchema[];
  readonly target: FoundTarget | null;
}

/**
 * Whether everything that is live together with a build fits the routes of the document that it
 * answers as its `/openapi.json`.
 */
export async function planActivation(
  db: RegistryDatabase,
  applicationId: string,
  openapi: unknown,
  target: DeployTarget | null,
): Promise<RegistryOutcome<ActivationPlan>> {
  const read = readSchema(openapi);
  if (read.kind === "refused") return read;
  const routes = read.value;
  const found = target && (await findTarget(db, applicationId, target));
  if (found?.kind === "refused") return found;
  const plan = { routes, target: found?.value ?? null };
  const refusal = refusalOf([
    ...targetMisfits(plan),
    ...(await liveMisfits(db, applicationId, routes, plan.target?.environment.id)),
  ]);
  return refusal ?? done(plan);
}

function targetMisfits({ routes, target }: ActivationPlan) {
  if (target?.what.kind !== "revision") return [];
  const { slug } = target.environment;
  return revisionMisfits(slug, target.what.revision, routes, ["query", "variant"]);
}
