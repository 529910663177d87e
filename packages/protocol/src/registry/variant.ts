import { z } from "zod";

/** A named line of configurations: revisions 1, 2, 3 … */
export interface RegistryVariant {
  readonly id: string;
  readonly slug: string;
  readonly created_at: string;
  /** The revision it was forked from; null if it was not forked. */
  readonly forked_from: VariantRevision | null;
  /** 0 while nothing is committed. */
  readonly latest_revision: number;
}

/** One revision of a variant, by name. */
export interface VariantRevision {
  /** The variant's id. It may have been deleted since. */
  readonly id: string;
  readonly slug: string;
  readonly revision: number;
}

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
