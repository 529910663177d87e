import { z } from "zod";
import type { VariantRevision } from "./variant.ts";
import { variantRevisionSchema } from "./variant.ts";

/** How a deployment came about. */
const DEPLOYMENT_KINDS = ["deploy", "promotion", "rollback"] as const;
export type DeploymentKind = (typeof DEPLOYMENT_KINDS)[number];

/** `hosted`: the platform has its files and runs it. `external`: it runs elsewhere. */
export const BUILD_KINDS = ["hosted", "external"] as const;
export type BuildKind = (typeof BUILD_KINDS)[number];

/** The code of a deployment. */
export interface DeployedBuild {
  readonly id: string;
  readonly number: number;
  readonly kind: BuildKind;
}

/** One entry of an environment's history: a build and a revision, pinned. */
export interface Deployment {
  readonly id: string;
  /** The environment's slug. */
  readonly environment: string;
  /** Null in history from before deployments had builds. */
  readonly build: DeployedBuild | null;
  readonly variant: VariantRevision;
  readonly kind: DeploymentKind;
  /** `promotion`: the environment it came from. */
  readonly promoted_from: string | null;
  /** `rollback`: the deployment it went back to. */
  readonly rolled_back_to: string | null;
  readonly message: string;
  readonly deployed_by: string;
  readonly deployed_at: string;
  /** When another took its place, or it was taken down; null while it is live. */
  readonly ended_at: string | null;
}

const deploymentFields = z.strictObject({
  id: z.string(),
  environment: z.string().meta({ description: "Slug of the environment." }),
  build: z
    .strictObject({ id: z.string(), number: z.int().positive(), kind: z.enum(BUILD_KINDS) })
    .nullable()
    .meta({ description: "Its code. Null in history from before deployments had builds." }),
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
});

const EXAMPLE = {
  id: "dep_q7m2c4nxw6brt2ak3v5z",
  environment: "production",
  build: { id: "bld_q7m2c4nxw6brt2ak3v5z", number: 3, kind: "hosted" },
  variant: { id: "var_6hd3wq2m7c4nxzbrtk5a", slug: "default", revision: 3 },
  kind: "promotion",
  promoted_from: "staging",
  rolled_back_to: null,
  message: "",
  deployed_by: "local",
  deployed_at: "2026-11-15T10:00:00.000Z",
  ended_at: null,
} satisfies Deployment;

export const deploymentSchema: z.ZodType<Deployment> = deploymentFields.meta({
  id: "Deployment",
  examples: [EXAMPLE],
});

/** What the promotion of an environment to another made live. */
export interface Promotion extends Deployment {
  /** Names of variables that the source has and the target lacks: code may need them. */
  readonly missing_variables: readonly string[];
}

export const missingVariablesSchema = z.array(z.string()).meta({
  description:
    "Of a promotion: names of variables that the source has and the target lacks. Otherwise empty.",
});

export const promotionSchema: z.ZodType<Promotion> = deploymentFields
  .extend({ missing_variables: missingVariablesSchema })
  .meta({ id: "Promotion", examples: [{ ...EXAMPLE, missing_variables: ["OPENAI_API_KEY"] }] });

/** Where a build and a revision can be live: `production`, say. */
export interface Environment {
  readonly id: string;
  readonly slug: string;
  /** Whether it takes calls with a configuration of the caller's. */
  readonly playground: boolean;
  readonly created_at: string;
  /** Whether calls that name no environment go to it. */
  readonly is_default: boolean;
  /** What is live there. */
  readonly deployment: Deployment | null;
}

export const environmentSchema: z.ZodType<Environment> = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    playground: z.boolean().meta({
      description:
        "Whether it takes calls with a configuration of the caller's. Off in the default environment of a new application.",
    }),
    created_at: z.iso.datetime(),
    is_default: z
      .boolean()
      .meta({ description: "Whether calls that name no environment go to it." }),
    deployment: deploymentSchema.nullable().meta({ description: "What is live there." }),
  })
  .meta({
    id: "Environment",
    examples: [
      {
        id: "env_2c4nxw6brt2ak3v5zq7m",
        slug: "staging",
        playground: true,
        created_at: "2026-11-15T10:00:00.000Z",
        is_default: false,
        deployment: null,
      },
    ],
  });
