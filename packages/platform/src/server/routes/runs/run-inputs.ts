import {
  isRecord,
  MOST_RUN_BATCH,
  MOST_RUN_COLUMNS,
  MOST_RUN_SCORERS,
  MOST_RUN_TRIALS,
  type NewRun,
  type NewRunCase,
  type NewRunResult,
  SCORE_STATUSES,
  SCORER_KINDS,
  shownValue,
} from "@agate/protocol";
import * as z from "zod/mini";
import { CASE_ID_SCHEMA } from "../../../registry/runs/add-cases.ts";
import { parseSpanId, parseTraceId } from "../../../traces/span-ids.ts";
import {
  documented,
  type InputDoc,
  json,
  matching,
  name,
  newSlug,
  oneOf,
  orNull,
  type Parsed,
  parsed,
  text,
  wholeNumber,
} from "../../inputs/input-kinds.ts";
import { ID_PATTERN, readId } from "../traces.ts";

/** The longest texts, in characters: as those of scores. */
const LONGEST = { label: 100, explanation: 4_000, error: 1_000, callError: 4_000, name: 200 };
/** Seeds are whole numbers below 2^31. */
const HIGHEST_SEED = 2 ** 31 - 1;

const RUN_EXAMPLE: NewRun = {
  id: "ci-8123",
  application: "quickstart",
  evaluation: "tickets",
  testset: { kind: "inline" },
  scorers: [{ name: "right" }],
  columns: [
    { name: "candidate", ref: "default@9" },
    { name: "baseline", ref: "env:production" },
  ],
  gate: { scores: { right: { min: 0.8, notWorseBy: 0.05 } } },
};

const CASE_EXAMPLE: NewRunCase = {
  id: "refund",
  inputs: { text: "I want my money back." },
  expected: "billing",
};

const RESULT_EXAMPLE: NewRunResult = {
  column: "candidate",
  case: "refund",
  trial: 0,
  status: "ok",
  output: "billing",
  latency_ms: 812,
  cost: 0.0021,
  scores: [{ name: "right", value: 1 }],
};

const shortText = (description: string) => orNull(text({ description }, LONGEST.name));

/** A number between two bounds that are both allowed, in a body. */
function numberIn(doc: InputDoc, least: number, most: number) {
  const rule =
    most === Number.MAX_VALUE ? `a number, ${least} or more` : `a number from ${least} to ${most}`;
  return matching(
    doc,
    { type: "number", minimum: least, ...(most !== Number.MAX_VALUE && { maximum: most }) },
    rule,
    (value): value is number => typeof value === "number" && value >= least && value <= most,
  );
}

export const amount = (description: string) => numberIn({ description }, 0, Number.MAX_VALUE);
const share = (description: string) => numberIn({ description }, 0, 1);

export function wholeUpTo(doc: InputDoc, least: number, most: number) {
  return documented(z.int().check(z.minimum(least), z.maximum(most)), doc);
}

const gates = () =>
  z.strictObject({
    scores: z.optional(
      z.record(
        z.string(),
        z.strictObject({
          min: z.optional(share("The least mean over the cases.")),
          notWorseBy: z.optional(share("How much worse than the baseline the candidate may be.")),
        }),
      ),
    ),
    cost: z.optional(
      z.strictObject({ mean: amount("The highest mean cost of a call, in US dollars.") }),
    ),
    latency: z.optional(
      z.strictObject({ p95: amount("Milliseconds within which 95 of 100 calls must end.") }),
    ),
    errors: z.optional(
      z.strictObject({ share: share("The highest share of calls that may fail.") }),
    ),
  });

const column = () =>
  z.strictObject({
    name: newSlug({ description: "A slug. `baseline` is what the first column is compared with." }),
    ref: text({ description: "What is called: `default@9`, `env:production`." }, LONGEST.name),
    build: orNull(name({ description: "Number or id of the build that serves it." })),
    variant: shortText("The variant of its configuration."),
    revision: orNull(wholeNumber({ description: "The revision of it." }, 1)),
  });

const runTestset = () =>
  z.strictObject({
    kind: oneOf(
      { description: "A revision of a test set, a file, or rows of the evaluation itself." },
      ["testset", "file", "inline"],
    ),
    name: shortText("Of the test set, or the path of the file."),
    revision: orNull(wholeNumber({ description: "Of the test set." }, 1)),
    hash: shortText("Of the rows, to tell whether two runs had the same."),
  });

/** The id of a new run. */
export const runId = () =>
  parsed(
    {
      description:
        "Makes the request idempotent: sent again, it answers the same run. Unique in the project; without it, one is made.",
      example: "ci-8123",
    },
    ID_PATTERN,
    (given) => readId(given, (id) => (RUN_ID.test(id) ? id : undefined)),
  );

/**
 * Of a run that is created with all it has. Servers would take up one of the platform's own, whose columns
 * and cases were never resolved.
 */
const clientRunner = () =>
  parsed(
    { description: "`client`: you call the route. The platform starts its own runs." },
    { type: "string", enum: ["client"] },
    (given): Parsed<"client"> => {
      if (given === "client") return { kind: "value", value: given };
      const msg = `Must be "client" (got ${shownValue(given)}). Start a run that the platform carries out with POST /registry/applications/{app}/evaluations/{evaluation}/runs.`;
      return { kind: "problem", type: "body_invalid", msg };
    },
  );

/** What creates a run. */
export const newRun = () =>
  documented(
    z.strictObject({
      id: orNull(runId()),
      application: newSlug({
        description: "Slug of the application. It is created if it is missing.",
        example: "quickstart",
      }),
      evaluation: newSlug({ description: "Name of the evaluation, a slug.", example: "tickets" }),
      runner: orNull(clientRunner()),
      testset: runTestset(),
      scorers: documented(
        z
          .array(
            z.strictObject({
              name: newSlug({ description: "Of its score, a slug." }),
              version: shortText("Tells whether two runs had the same scorer."),
              kind: z.optional(
                oneOf(
                  { description: "The source kind of its scores; `code` by default." },
                  SCORER_KINDS,
                ),
              ),
            }),
          )
          .check(z.minLength(0), z.maxLength(MOST_RUN_SCORERS)),
        { description: "What judges the outputs." },
      ),
      scorers_revision: orNull(
        wholeNumber({ description: "The revision of the scorers' configurations." }, 1),
      ),
      trials: orNull(
        wholeUpTo(
          { description: "How often each case is called; once by default." },
          1,
          MOST_RUN_TRIALS,
        ),
      ),
      columns: documented(z.array(column()).check(z.minLength(1), z.maxLength(MOST_RUN_COLUMNS)), {
        description: "What is called. The first is the candidate.",
      }),
      gate: orNull(gates()),
      commit: shortText("The git commit of the code."),
      message: orNull(text({ description: "Why, for the list of runs." })),
      seed: orNull(
        wholeUpTo({ description: "Of the order of calls; random by default." }, 0, HIGHEST_SEED),
      ),
    }),
    { description: "A run of an evaluation.", example: RUN_EXAMPLE },
  );

/** What a run's id looks like. */
const RUN_ID = new RegExp(ID_PATTERN.pattern);

const runCase = () =>
  z.strictObject({
    id: documented(
      z.string(),
      { description: "Unique in the run; 1 to 200 characters." },
      CASE_ID_SCHEMA,
    ),
    inputs: json({ description: "What the route is called with." }, {}),
    expected: z.optional(json({ description: "Left out where nothing is expected." }, {})),
    metadata: orNull(
      matching(
        { description: "Anything else that is worth keeping." },
        { type: "object" },
        "an object",
        isRecord,
      ),
    ),
  });

export const newCases = () =>
  z.strictObject({
    cases: documented(z.array(runCase()).check(z.minLength(1), z.maxLength(MOST_RUN_BATCH)), {
      description: "1 to 500 cases.",
      example: [CASE_EXAMPLE],
    }),
  });

const runScore = () =>
  z.strictObject({
    name: name({ description: "Of one of the run's scorers." }),
    status: orNull(
      oneOf(
        {
          description:
            "`ok` by default. `skipped`: the scorer does not apply. `failed`: it could not judge. Neither counts as 0.",
        },
        SCORE_STATUSES,
      ),
    ),
    value: orNull(
      matching(
        {
          description:
            "From 0 to 1, higher is better; true and false are 1 and 0 with the labels yes and no. Left out where the status is not `ok`.",
        },
        { type: ["number", "boolean"] },
        "a number from 0 to 1, true or false",
        (value): value is number | boolean =>
          typeof value === "boolean" || (typeof value === "number" && value >= 0 && value <= 1),
      ),
    ),
    label: orNull(text({ description: "A word for the value." }, LONGEST.label)),
    explanation: orNull(text({ description: "Why." }, LONGEST.explanation)),
    error: orNull(text({ description: "Why it failed or was skipped." }, LONGEST.error)),
    version: shortText("Of the scorer; without it, the one that the run names."),
  });

const runResult = () =>
  z.strictObject({
    column: name({ description: "One of the run's columns." }),
    case: name({ description: "The id of one of the run's cases." }),
    trial: orNull(wholeNumber({ description: "From 0, which is the default." }, 0)),
    status: oneOf({ description: "Whether the call succeeded." }, ["ok", "error"]),
    output: z.optional(
      json({ description: "What the call answered. More than 256 KiB of JSON are cut." }, {}),
    ),
    error: orNull(text({ description: "Why the call failed." }, LONGEST.callError)),
    trace_id: orNull(
      parsed({ description: "The trace of the call." }, ID_PATTERN, (id) =>
        readId(id, parseTraceId),
      ),
    ),
    span_id: orNull(
      parsed({ description: "The span of the call." }, ID_PATTERN, (id) => readId(id, parseSpanId)),
    ),
    latency_ms: orNull(amount("How long the call took.")),
    cost: orNull(amount("Of the call, in US dollars. Left out where it is not known.")),
    judge_cost: orNull(amount("Of the judges, in US dollars.")),
    scores: z._default(
      documented(z.array(runScore()).check(z.minLength(0), z.maxLength(MOST_RUN_SCORERS)), {
        description: "One for each scorer. One that lacks counts as failed.",
      }),
      [],
    ),
  });

export const newResults = () =>
  z.strictObject({
    results: documented(z.array(runResult()).check(z.minLength(1), z.maxLength(MOST_RUN_BATCH)), {
      description: "1 to 500 results.",
      example: [RESULT_EXAMPLE],
    }),
  });

export type RunInput = z.output<ReturnType<typeof newRun>>;
export type ResultInput = z.output<ReturnType<typeof newResults>>["results"][number];
