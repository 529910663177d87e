import { z } from "zod";
import type { ListedRevision, Revision, RouteParams } from "./revision.ts";
import { variantRevisionSchema } from "./variant-schema.ts";

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
