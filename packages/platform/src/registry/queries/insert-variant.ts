import type { VariantRevision } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { newId } from "../new-id.ts";
import type { Authorship } from "../registry.ts";
import type { RevisionRow } from "./find-revision.ts";
import { storableText } from "./storable-text.ts";

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
