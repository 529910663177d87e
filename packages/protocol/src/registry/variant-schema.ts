import { z } from "zod";
import type { RegistryVariant, VariantRevision } from "./variant.ts";

export const variantRevisionSchema: z.ZodType<VariantRevision> = z
  .strictObject({ id: z.string(), slug: z.string(), revision: z.int().positive() })
  .meta({
    id: "VariantRevision",
    description: "One revision of a variant. The variant may have been deleted since.",
    examples: [{ id: "var_6hd3wq2m7c4nxzbrtk5a", slug: "default", revision: 3 }],
  });

export const registryVariantSchema: z.ZodType<RegistryVariant> = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    created_at: z.iso.datetime(),
    forked_from: variantRevisionSchema.nullable(),
    latest_revision: z.int().nonnegative().meta({ description: "0 while nothing is committed." }),
  })
  .meta({
    id: "RegistryVariant",
    examples: [
      {
        id: "var_6hd3wq2m7c4nxzbrtk5a",
        slug: "default",
        created_at: "2026-11-15T10:00:00.000Z",
        forked_from: null,
        latest_revision: 3,
      },
    ],
  });
