import type { RevisionRef, VariantRevision } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import type { Authorship } from "../registry.ts";
import { storableText } from "../registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";
import { selectLiveRevisions } from "./deployment-rows.ts";
import { findEnvironment } from "./environment-rows.ts";
import { findVariant } from "./variant-rows.ts";

/** A revision that was asked for. */
export interface FoundRevision {
  readonly variant: VariantRevision;
  /** Where it was asked for by environment. */
  readonly environment: { readonly id: string; readonly slug: string } | null;
  /** JSON: RouteParams. */
  readonly params: string;
}

export interface LiveRevision extends FoundRevision {
  readonly environment: { readonly id: string; readonly slug: string };
}

/** Where in the request the parts of the reference stand. */
export type PlaceOf = (part: "variant" | "revision" | "environment") => RegistryProblem["loc"];

export async function findRevision(
  db: RegistryDatabase,
  applicationId: string,
  which: RevisionRef,
  placeOf: PlaceOf,
): Promise<RegistryOutcome<FoundRevision>> {
  if (which.kind === "environment") {
    return findLive(db, applicationId, which.environment, placeOf("environment"));
  }
  const found = await findNumbered(db, applicationId, which, placeOf);
  if (found.kind === "refused") return found;
  const { variant, row } = found.value;
  return done({ variant, environment: null, params: row.params });
}

export type RevisionRow = Selectable<RegistryTables["revisions"]>;

export interface NumberedRevision {
  readonly variant: VariantRevision;
  readonly row: RevisionRow;
}

/** A revision by its number; null is the latest. */
export async function findNumbered(
  db: RegistryDatabase,
  applicationId: string,
  which: { readonly variant: string; readonly revision: number | null },
  placeOf: PlaceOf,
): Promise<RegistryOutcome<NumberedRevision>> {
  const variant = await findVariant(db, applicationId, which.variant, placeOf("variant"));
  if (variant.kind === "refused") return variant;
  const { id, slug, latest_revision: latest } = variant.value;
  const revision = which.revision ?? latest;
  if (revision < 1 || revision > latest) {
    return refused(missingRevision(slug, revision, latest, placeOf("revision")));
  }
  const row = await db
    .selectFrom("revisions")
    .selectAll()
    .where("variant_id", "=", id)
    .where("revision", "=", revision)
    .executeTakeFirst();
  // The variant was deleted between the two queries.
  if (row === undefined) return refused(missingRevision(slug, revision, 0, placeOf("revision")));
  return done({ variant: { id, slug, revision }, row });
}

/** What is live in an environment. */
export async function findLive(
  db: RegistryDatabase,
  applicationId: string,
  name: string,
  loc: RegistryProblem["loc"],
): Promise<RegistryOutcome<LiveRevision>> {
  const environment = await findEnvironment(db, applicationId, name, loc);
  if (environment.kind === "refused") return environment;
  const { id, slug } = environment.value;
  const live = await selectLiveRevisions(db, applicationId)
    .where("deployments.environment_id", "=", id)
    .executeTakeFirst();
  if (live === undefined) return refused(nothingLive(slug, loc));
  const variant = { id: live.variant_id, slug: live.variant_slug, revision: live.revision };
  return done({ variant, environment: { id, slug }, params: live.params });
}

export function nothingLive(environment: string, loc: RegistryProblem["loc"]): RegistryProblem {
  const msg = `Nothing is deployed to ${shownValue(environment)}. Deploy a revision to it first.`;
  return { type: "deployment_not_found", loc, msg };
}

function missingRevision(
  variant: string,
  revision: number,
  latest: number,
  loc: RegistryProblem["loc"],
): RegistryProblem {
  const msg =
    latest === 0
      ? `${shownValue(variant)} has no revision yet. Commit one first.`
      : `${shownValue(variant)} has no revision ${revision}: its latest is ${latest}.`;
  return { type: "revision_not_found", loc, msg };
}

/** Adds a revision, which must be the next one. The application is locked. */
export async function insertRevision(
  tx: RegistryDatabase,
  variant: { readonly id: string; readonly revision: number },
  { params, by, message, at }: Authorship & { readonly params: string; readonly at: string },
): Promise<RevisionRow> {
  const row = {
    variant_id: variant.id,
    revision: variant.revision,
    params,
    message: storableText(message),
    created_by: storableText(by),
    created_at: at,
  };
  await tx.insertInto("revisions").values(row).execute();
  await tx
    .updateTable("variants")
    .set({ latest_revision: variant.revision })
    .where("id", "=", variant.id)
    .execute();
  return row;
}
