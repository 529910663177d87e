import { z } from "zod";
import { DEPLOYMENT_KINDS, type Deployment } from "./deployment.ts";
import { variantRevisionSchema } from "./variant-schema.ts";

export const deploymentSchema: z.ZodType<Deployment> = z
  .strictObject({
    id: z.string(),
    environment: z.string().meta({ description: "Slug of the environment." }),
    variant: variantRevisionSchema,
    kind: z.enum(DEPLOYMENT_KINDS),
    promoted_from: z
      .string()
      .nullable()
      .meta({ description: "Of a promotion: the environment it came from." }),
    rolled_back_to: z
      .string()
      .nullable()
      .meta({ description: "Of a rollback: the deployment it went back to." }),
    message: z.string(),
    deployed_by: z.string().meta({ description: "Name of the key, or `local`." }),
    deployed_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable().meta({
      description: "When another took its place, or it was taken down; null while it is live.",
    }),
  })
  .meta({
    id: "Deployment",
    examples: [
      {
        id: "dep_q7m2c4nxw6brt2ak3v5z",
        environment: "production",
        variant: { id: "var_6hd3wq2m7c4nxzbrtk5a", slug: "default", revision: 3 },
        kind: "promotion",
        promoted_from: "staging",
        rolled_back_to: null,
        message: "",
        deployed_by: "local",
        deployed_at: "2026-11-15T10:00:00.000Z",
        ended_at: null,
      },
    ],
  });
