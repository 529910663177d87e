import type { RegistryVariant, VariantRevision } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { missingName, nameOf, newId } from "../names.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";

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
