import { z } from "zod";

/** A workflow that the registry knows: what its variants, environments and builds belong to. */
export interface Application {
  readonly id: string;
  readonly slug: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** The paths of its routes, as its schema has them; null while no schema is known. */
  readonly routes: readonly string[] | null;
  /** The number of the build that serves it; null while none does. */
  readonly build: number | null;
}

export const applicationSchema: z.ZodType<Application> = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    created_at: z.iso.datetime(),
    routes: z
      .array(z.string())

      .nullable()
      .meta({ description: "Paths of its routes; null while no schema is known." }),
    build: z.int().nullable().meta({
      description: "Number of the build that serves it; null while none does.",
    }),
  })
  .meta({
    id: "Application",
    examples: [
      {
        id: "app_k3v5zq7m2c4nxw6brt2a",
        slug: "quickstart",
        created_at: "2026-11-15T10:00:00.000Z",
        routes: ["/", "/summarize"],
        build: null,
      },
    ],
  });
