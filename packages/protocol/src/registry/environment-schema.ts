import { z } from "zod";
import { deploymentSchema } from "./deployment-schema.ts";
import type { Environment } from "./environment.ts";

export const environmentSchema: z.ZodType<Environment> = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    created_at: z.iso.datetime(),
    deployment: deploymentSchema.nullable().meta({ description: "What is live there." }),
  })
  .meta({
    id: "Environment",
    examples: [
      {
        id: "env_2c4nxw6brt2ak3v5zq7m",
        slug: "staging",
        created_at: "2026-11-15T10:00:00.000Z",
        deployment: null,
      },
    ],
  });
