import { z } from "zod";
import { routeParamsSchema } from "./registry/revision-schema.ts";
import { variantRevisionSchema } from "./registry/variant-schema.ts";
import type { ResolvedConfig } from "./resolved-config.ts";

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
