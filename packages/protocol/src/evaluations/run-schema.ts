import { z } from "zod";
import { SCORE_STATUSES } from "../score.ts";
import type { Comparison } from "../statistics/compare-scores.ts";
import type { Interval } from "../statistics/difference-interval.ts";
import type { GateVerdict, RunGates, RunVerdict } from "../statistics/judge-run.ts";
import type {
  AddedCases,
  AddedResults,
  Run,
  RunCase,
  RunColumn,
  RunFigures,
  RunPlan,
  RunReport,
  RunResult,
  RunScore,
  RunScorer,
  RunTestset,
} from "./run.ts";
import { RUN_STATUSES, RUNNERS, SCORER_KINDS } from "./run.ts";

const optionalText = z.string().nullable();
const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

export const runGatesSchema: z.ZodType<RunGates> = z
  .strictObject({
    scores: z
      .record(
        z.string(),
        z.strictObject({
          min: share.optional().meta({ description: "The least mean over the cases." }),
          notWorseBy: share.optional().meta({
            description: "How much worse than the baseline the candidate may be.",
          }),
        }),
      )
      .optional(),
    cost: z
      .strictObject({ mean: z.number().nonnegative() })
      .optional()
      .meta({ description: "The highest mean cost of a call, in US dollars." }),
    latency: z
      .strictObject({ p95: z.number().nonnegative() })
      .optional()
      .meta({ description: "Milliseconds within which 95 of 100 calls must end." }),
    errors: z
      .strictObject({ share })
      .optional()
      .meta({ description: "The highest share of calls that may fail." }),
  })
  .meta({ id: "RunGates", description: "What a run must reach to pass: all of it." });

const intervalSchema: z.ZodType<Interval> = z
  .strictObject({
    cases: count,
    mean: z.number(),
    low: z.number(),
    high: z.number(),
    deviation: z.number().meta({ description: "Standard deviation of the cases' differences." }),
  })
  .meta({ id: "Interval", description: "A mean difference with its 95 % interval." });

const comparisonSchema: z.ZodType<Comparison> = z
  .strictObject({
    observed: intervalSchema,
    worst: intervalSchema,
    missing: count.meta({ description: "Values that are missing in one column or both." }),
    leftOut: count.meta({ description: "Cases that the scorer skipped in both columns." }),
  })
  .meta({
    id: "Comparison",
    description:
      "Candidate − baseline over the cases: of the values there are, and with each missing one at its worst for the candidate.",
  });

const verdict = z.enum(["passed", "failed", "undecided", "unscored"]);

// JSON leaves undefined fields out, where the type has them as undefined.
const gateVerdictSchema = z.discriminatedUnion("gate", [
  z.strictObject({
    gate: z.literal("notWorseBy"),
    score: z.string(),
    verdict,
    comparison: comparisonSchema.optional(),
    moreCases: count.optional().meta({
      description: "About how many further cases would decide an undecided gate.",
    }),
  }),
  z.strictObject({
    gate: z.literal("min"),
    score: z.string(),
    verdict,
    mean: z.strictObject({
      observed: z.number().optional(),
      worst: z.number().meta({ description: "With every missing value as 0." }),
      missing: count,
    }),
  }),
  z.strictObject({ gate: z.enum(["cost", "latency", "errors"]), verdict }),
]) as unknown as z.ZodType<GateVerdict>;

export const runVerdictSchema = z
  .strictObject({
    verdict: verdict.optional().meta({ description: "Left out where the run has no gate." }),
    gates: z.array(gateVerdictSchema),
  })
  .meta({ id: "RunVerdict" }) as unknown as z.ZodType<RunVerdict>;

const testsetSchema: z.ZodType<RunTestset> = z.strictObject({
  kind: z.enum(["testset", "file", "inline"]).meta({
    description: "A revision of a test set, a file, or rows of the evaluation itself.",
  }),
  name: optionalText,
  revision: z.int().positive().nullable(),
  hash: optionalText,
});

const scorerSchema: z.ZodType<RunScorer> = z.strictObject({
  name: z.string(),
  version: optionalText,
  kind: z.enum(SCORER_KINDS).optional().meta({
    description: "The source kind of its scores; `code` where it is left out.",
  }),
});

const columnSchema: z.ZodType<RunColumn> = z.strictObject({
  name: z.string(),
  ref: z.string().meta({ description: "As it was asked for: `default@9`, `env:production`." }),
  build: z.strictObject({ id: z.string(), number: z.int().positive() }).nullable(),
  variant: optionalText.meta({ description: "Its slug when the run was created." }),
  variant_id: z
    .string()
    .optional()
    .meta({ description: "Where the platform calls it: the variant may be renamed meanwhile." }),
  revision: z.int().positive().nullable(),
});

const planSchema: z.ZodType<RunPlan> = z
  .strictObject({
    cases: count.meta({ description: "How many the run gets. Its first call waits for them." }),
    concurrency: z.int().positive().meta({ description: "Calls at a time, on all servers." }),
    max_cost: z.number().nullable().meta({ description: "In US dollars, judges included." }),
    environment: z.string().meta({ description: "Whose variables the code gets." }),
    environment_id: z.string().optional().meta({ description: "It may be renamed meanwhile." }),
    build: z
      .strictObject({ id: z.string(), number: z.int().positive() })
      .nullable()
      .meta({ description: "Its scorers judge all columns." }),
  })
  .meta({ description: "How the platform carries the run out; null where a client does." });

const runFields = z.strictObject({
  id: z.string(),
  application: z.string().meta({ description: "Slug of the application." }),
  evaluation: z.string(),
  runner: z.enum(RUNNERS).meta({
    description: "Who calls the routes: the client that created it, or the platform.",
  }),
  status: z.enum(RUN_STATUSES),
  reason: optionalText.meta({ description: "Why it was stopped or has failed." }),
  testset: testsetSchema,
  scorers: z.array(scorerSchema),
  scorers_revision: z.int().positive().nullable(),
  trials: z.int().positive(),
  columns: z.array(columnSchema).meta({
    description: "The first is the candidate; one named `baseline` is what it is compared with.",
  }),
  gate: runGatesSchema,
  plan: planSchema.nullable(),
  commit: optionalText.meta({ description: "The git commit of the code." }),
  message: z.string(),
  seed: z.int().meta({ description: "Of the order that calls are made in." }),
  started_by: z.string().meta({ description: "Name of the key, or `local`." }),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  cases: count,
  items: count.meta({ description: "Cases × trials × columns." }),
  results: count.meta({ description: "Results so far." }),
  errors: count.meta({ description: "Results so far whose call failed." }),
  costs: z
    .strictObject({
      calls: z.number(),
      unknown_calls: count,
      judges: z.number(),
      unknown_judges: count,
    })
    .meta({ description: "In US dollars." }),
  verdict: runVerdictSchema.nullable().meta({ description: "Null until it is finished." }),
});

const EXAMPLE: Run = {
  id: "ci-8123",
  application: "quickstart",
  evaluation: "tickets",
  runner: "client",
  status: "running",
  reason: null,
  testset: { kind: "testset", name: "golden", revision: 3, hash: null },
  scorers: [{ name: "right", version: null }],
  scorers_revision: null,
  trials: 1,
  columns: [
    { name: "candidate", ref: "default@9", build: null, variant: "default", revision: 9 },
    { name: "baseline", ref: "env:production", build: null, variant: "default", revision: 8 },
  ],
  gate: { scores: { right: { min: 0.8, notWorseBy: 0.05 } } },
  plan: null,
  commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
  message: "",
  seed: 7,
  started_by: "ci",
  started_at: "2026-11-15T10:00:00.000Z",
  ended_at: null,
  cases: 200,
  items: 400,
  results: 50,
  errors: 0,
  costs: { calls: 0.12, unknown_calls: 0, judges: 0.03, unknown_judges: 0 },
  verdict: null,
};

export const runSchema: z.ZodType<Run> = runFields.meta({
  id: "Run",
  description: "A run of an evaluation.",
  examples: [EXAMPLE],
});

const scoreCounts = {
  mean: z.number().nullable().meta({ description: "Over the cases; null without any value." }),
  ok: count,
  skipped: count,
  failed: count,
};

const runFiguresSchema: z.ZodType<RunFigures> = z
  .strictObject({
    columns: z.array(
      z.strictObject({
        column: z.string(),
        results: count,
        errors: count,
        missing: count.meta({ description: "Items without a result." }),
        latency_ms: z
          .strictObject({ mean: z.number(), p50: z.number(), p95: z.number() })
          .nullable(),
        cost: z.strictObject({
          total: z.number(),
          mean: z.number().nullable(),
          unknown: count,
        }),
        judge_cost: z.strictObject({ total: z.number(), unknown: count }),
      }),
    ),
    scores: z.array(
      z.strictObject({
        score: z.string(),
        columns: z.array(z.strictObject({ column: z.string(), ...scoreCounts })),
        comparison: comparisonSchema.nullable().meta({ description: "Null without a baseline." }),
      }),
    ),
  })
  .meta({ id: "RunFigures" });

export const runReportSchema: z.ZodType<RunReport> = runFields
  .extend({ figures: runFiguresSchema })
  .meta({ id: "RunReport", description: "A run with its figures so far." });

const runScoreSchema: z.ZodType<RunScore> = z.strictObject({
  name: z.string(),
  status: z.enum(SCORE_STATUSES),
  value: share.nullable(),
  label: optionalText,
  explanation: optionalText,
  error: optionalText,
  version: optionalText,
});

export const runResultSchema: z.ZodType<RunResult> = z
  .strictObject({
    column: z.string(),
    case: z.string(),
    trial: count.meta({ description: "From 0." }),
    status: z.enum(["ok", "error"]).meta({ description: "Of the call." }),
    output: z.unknown(),
    is_output_cut: z.boolean().meta({
      description:
        "Whether the output was too large: `output` is the beginning of its JSON then, a text.",
    }),
    error: optionalText.meta({ description: "Why the call failed." }),
    trace_id: optionalText,
    span_id: optionalText,
    latency_ms: z.number().nullable(),
    cost: z.number().nullable().meta({ description: "In US dollars; null where unknown." }),
    judge_cost: z.number().nullable(),
    scores: z.array(runScoreSchema),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "RunResult", description: "What came of one call of a run." });

export const runCaseSchema: z.ZodType<RunCase> = z
  .strictObject({
    id: z.string(),
    inputs: z.unknown(),
    expected: z.unknown().optional().meta({ description: "Absent where nothing is expected." }),
    metadata: z.record(z.string(), z.unknown()),
    purged: z.literal(true).optional().meta({ description: "Its content was deleted." }),
    columns: z.array(
      z.strictObject({
        column: z.string(),
        results: count,
        errors: count,
        latency_ms: z.number().nullable().meta({ description: "Mean of the trials." }),
        cost: z.number().nullable().meta({
          description: "Of the trials together; null where one is not known.",
        }),
        scores: z.record(z.string(), z.strictObject(scoreCounts)),
      }),
    ),
    differences: z.record(z.string(), z.number().nullable()).meta({
      description:
        "Candidate − baseline by score; null where one of them has no value. Empty without a baseline.",
    }),
  })
  .meta({ id: "RunCase", description: "A case of a run, with what came of it in each column." });

const itemSchema = z.strictObject({ column: z.string(), case: z.string(), trial: count });

export const addedResultsSchema: z.ZodType<AddedResults> = z
  .strictObject({
    added: count,
    ignored: z.array(itemSchema).meta({
      description: "Items that have a result already: the first one stays.",
    }),
  })
  .meta({ id: "AddedResults" });

export const addedCasesSchema: z.ZodType<AddedCases> = z
  .strictObject({
    added: count,
    ignored: z.array(z.string()).meta({
      description: "Ids of cases that the run has already: the first one stays.",
    }),
  })
  .meta({ id: "AddedCases" });
