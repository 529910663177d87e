import { z } from "zod";
import { configFieldSchema } from "../registry/route-schema.ts";
import type { ApplicationEvaluations } from "./application-evaluations.ts";
import type { DeclaredEvaluation } from "./evaluator-api.ts";
import { SCORER_KINDS } from "./run.ts";
import { runGatesSchema } from "./run-schema.ts";

const declaredEvaluationSchema: z.ZodType<DeclaredEvaluation> = z
  .strictObject({
    name: z.string(),
    application: z.string().meta({ description: "The slug of the application." }),
    route: z
      .string()
      .meta({ description: "The path of the route that it calls.", example: "/answer" }),
    testset: z.union([z.string(), z.array(z.unknown())]).meta({
      description: "The name of a test set, the path of a file, or the cases themselves.",
    }),
    trials: z.int().positive(),
    concurrency: z.int().positive(),
    gate: runGatesSchema.nullable(),
    scorers: z.array(
      z.strictObject({
        name: z.string(),
        version: z.string().meta({
          description: "A hash of its configuration and of the text of its function.",
        }),
        kind: z.enum(SCORER_KINDS).meta({ description: "`model` for a judge." }),
        config: z
          .strictObject({
            name: z.string().meta({ description: "As it was declared." }),
            code: z.string().meta({ description: "A hash of the text of its function." }),
            fields: z.record(z.string(), configFieldSchema),
            defaults: z.record(z.string(), z.unknown()),
          })
          .optional()
          .meta({ description: "Of a scorer with a configuration." }),
      }),
    ),
  })
  .meta({ id: "DeclaredEvaluation", description: "An evaluation that an eval file declares." });

export const applicationEvaluationsSchema: z.ZodType<ApplicationEvaluations> = z
  .strictObject({
    build: z.strictObject({ id: z.string(), number: z.int().positive() }).nullable().meta({
      description:
        "Whose eval files declare them; null where no build has any, and in `agate dev`.",
    }),
    evaluations: z.array(declaredEvaluationSchema),
    problem: z.string().nullable().meta({
      description:
        "Why the eval files could not be read, with the last lines of output; null where they could.",
    }),
  })
  .meta({ id: "ApplicationEvaluations" });
