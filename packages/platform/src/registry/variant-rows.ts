import type { RegistryVariant, RevisionRef, VariantRevision } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../stores/registry/registry-tables.ts";
import type { Authorship } from "./deployment-change.ts";
import { findEnvironment, selectDeployments, selectLiveRevisions } from "./environment-rows.ts";
import { missingName, nameOf, newId } from "./names.ts";
import type { DeployedPair } from "./registry.ts";
import { storableText } from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";

/** The variants of an application, as documents. */
export async function listVariants(
  db: RegistryDatabase,
  applicationId: string,
): Promise<RegistryVariant[]> {
  const rows = await selectVariants(db, applicationId).orderBy("variants.slug").execute();
  return rows.map(variantDocument);
}

export async function findVariant(
  db: RegistryDatabase,
  applicationId: string,
  variant: string,
  loc: RegistryProblem["loc"] = ["path", "variant"],
): Promise<RegistryOutcome<RegistryVariant>> {
  const { column, value } = nameOf(variant);
  const row = await selectVariants(db, applicationId)
    .where(`variants.${column}`, "=", value)
    .executeTakeFirst();
  if (row !== undefined) return done(variantDocument(row));
  const others = await listVariants(db, applicationId);
  return missingName("variant", variant, {
    loc,
    names: others.map(({ slug }) => slug),
    createOne: "Create one, or deploy a workflow to one.",
  });
}

function selectVariants(db: RegistryDatabase, applicationId: string) {
  return (
    db
      .selectFrom("variants")
      // Its slug as it is now, where it is still there.
      .leftJoin("variants as source", "source.id", "variants.forked_from_id")
      .select(({ fn }) => [
        "variants.id",
        "variants.slug",
        "variants.created_at",
        "variants.latest_revision",
        "variants.forked_from_id",
        fn.coalesce("source.slug", "variants.forked_from_slug").as("forked_from_slug"),
        "variants.forked_from_revision",
      ])
      .where("variants.application_id", "=", applicationId)
  );
}

type VariantRow = Awaited<ReturnType<ReturnType<typeof selectVariants>["executeTakeFirstOrThrow"]>>;

function variantDocument(row: VariantRow): RegistryVariant {
  const { forked_from_id: id, forked_from_slug: slug, forked_from_revision: revision } = row;
  return {
    id: row.id,
    slug: row.slug,
    created_at: row.created_at,
    forked_from: id && slug && revision ? { id, slug, revision } : null,
    latest_revision: row.latest_revision,
  };
}

/** Adds a variant without revisions; gives its id. */
export async function insertVariant(
  tx: RegistryDatabase,
  applicationId: string,
  slug: string,
  { at, forkedFrom }: { readonly at: string; readonly forkedFrom: VariantRevision | null },
): Promise<string> {
  const id = newId("var");
  await tx
    .insertInto("variants")
    .values({
      id,
      application_id: applicationId,
      slug,
      created_at: at,
      latest_revision: 0,
      forked_from_id: forkedFrom?.id ?? null,
      forked_from_slug: forkedFrom?.slug ?? null,
      forked_from_revision: forkedFrom?.revision ?? null,
    })
    .execute();
  return id;
}

/** A revision that was asked for. */
export interface FoundRevision {
  readonly variant: VariantRevision;
  /** Where it was asked for by environment. */
  readonly environment: { readonly id: string; readonly slug: string } | null;
  /** JSON: RouteParams. */
  readonly params: string;
}

interface LiveRevision extends FoundRevision {
  readonly environment: { readonly id: string; readonly slug: string };
}

/** Where in the request the parts of the reference stand. */
type PlaceOf = (part: "variant" | "revision" | "environment") => RegistryProblem["loc"];

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

interface NumberedRevision {
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

/** What was last deployed to an environment together with a build: to processes that drain, too. */
export async function findDeployedWith(
  db: RegistryDatabase,
  applicationId: string,
  { environmentId, buildId }: DeployedPair,
): Promise<RegistryOutcome<LiveRevision>> {
  const row = await selectDeployments(db, applicationId)
    .innerJoin("revisions", (join) =>
      join
        .onRef("revisions.variant_id", "=", "deployments.variant_id")
        .onRef("revisions.revision", "=", "deployments.revision"),
    )
    .select("revisions.params")
    .where("deployments.environment_id", "=", environmentId)
    .where("deployments.build_id", "=", buildId)
    .orderBy("deployments.number", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return refused(nothingLive(environmentId, ["query", "environment"]));
  const variant = { id: row.variant_id, slug: row.variant_slug, revision: row.revision };
  const environment = { id: environmentId, slug: row.environment };
  return done({ variant, environment, params: row.params });
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
