import { z } from "zod";
import type { VariantRevision } from "./variant.ts";
import { variantRevisionSchema } from "./variant.ts";

/** Route path (`/summarize`; the entrypoint is `/`) to its configuration. */
export type RouteParams = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A configuration of every route. It never changes. */
export interface Revision {
  readonly variant: VariantRevision;
  readonly params: RouteParams;
  readonly message: string;
  /** Who committed it: the name of a key, or `local`. */
  readonly created_by: string;
  readonly created_at: string;
  /** The environments where it is live. */
  readonly environments: readonly string[];
}

/** A revision in a list: its parameters are left out. */
export type ListedRevision = Omit<Revision, "params">;

export const routeParamsSchema: z.ZodType<RouteParams> = z
  .record(z.string(), z.record(z.string(), z.unknown()))
  .meta({
    id: "RouteParams",
    description:
      "Path of a route (the entrypoint is `/`) to its configuration. What is left out has its default.",
    examples: [{ "/": {}, "/summarize": { temperature: 0.2 } }],
  });

const listed = {
  variant: variantRevisionSchema,
  message: z.string(),
  created_by: z.string().meta({ description: "Name of the key, or `local`." }),
  created_at: z.iso.datetime(),
  environments: z.array(z.string()).meta({ description: "Where it is live." }),
};

const example = {
  variant: { id: "var_6hd3wq2m7c4nxzbrtk5a", slug: "default", revision: 3 },
  message: "Less creative",
  created_by: "local",
  created_at: "2026-11-15T10:00:00.000Z",
  environments: ["production"],
};

export const listedRevisionSchema: z.ZodType<ListedRevision> = z
  .strictObject(listed)
  .meta({ id: "ListedRevision", examples: [example] });

export const revisionSchema: z.ZodType<Revision> = z
  .strictObject({ ...listed, params: routeParamsSchema })
  .meta({
    id: "Revision",
    examples: [{ ...example, params: { "/summarize": { temperature: 0.2 } } }],
  });

/**
 * What `GET /registry/applications/{app}/config` answers: one revision of one variant, and, where it
 * was asked for by environment, which environment it is deployed to.
 */
export interface ResolvedConfig {
  readonly application: { readonly id: string; readonly slug: string };
  readonly variant: { readonly id: string; readonly slug: string; readonly revision: number };
  /** The environment's slug. */
  readonly environment: string | null;
  /** Route path (`/summarize`; the entrypoint is `/`) to its configuration. */
  readonly params: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export const resolvedConfigSchema: z.ZodType<ResolvedConfig> = z
  .strictObject({
    application: z.strictObject({ id: z.string(), slug: z.string() }),
    variant: variantRevisionSchema,
    environment: z.string().nullable().meta({ description: "Null where asked for by variant." }),
    params: routeParamsSchema,
  })
  .meta({
    id: "ResolvedConfig",
    examples: [
      {
        application: { id: "app_k3v5zq7m2c4nxw6brt2a", slug: "quickstart" },
        variant: { id: "var_6hd3wq2m7c4nxzbrtk5a", slug: "default", revision: 3 },
        environment: "production",
        params: { "/": {}, "/summarize": { temperature: 0.2 } },
      },
    ],
  });
