import { MOST_RUN_CONCURRENCY, MOST_RUN_TRIALS, type NewPlatformRun } from "@agate/protocol";
import * as z from "zod/mini";
import type { RunExecutor } from "../../../evaluations/run-executor.ts";
import type { Registry } from "../../../registry/registry.ts";
import { documented, name, orNull, text, wholeNumber } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { created } from "../../route.ts";
import { outcomeAnswer, registryRoute } from "../registry/registry-route.ts";
import { amount, runId, wholeUpTo } from "./run-inputs.ts";
import { RUNS } from "./runs.ts";

const EXAMPLE: NewPlatformRun = { candidate: "default@9", baseline: "env:production", trials: 3 };
/** The longest reference to a column or a test set, in characters. */
const LONGEST_REF = 200;

const reference = (description: string, example: string) =>
  orNull(text({ description, example }, LONGEST_REF));

const startBody = () =>
  documented(
    z.strictObject({
      id: orNull(runId()),
      candidate: reference(
        "What is tested: `default` (its latest revision) by default, `default@9`, `env:production` (what is live there), or `run:ID` (the outputs of that run, scored again).",
        "default@9",
      ),
      baseline: reference("What it is compared with, in the same way.", "env:production"),
      build: orNull(
        wholeNumber(
          {
            description:
              "Number of the build with the scorers, which also runs columns that name a variant. Without it, that of the candidate's environment where it has the evaluation, else the newest with eval files.",
          },
          1,
        ),
      ),
      environment: z._default(
        name({ description: "Slug of the environment whose variables the code gets." }),
        "development",
      ),
      testset: reference(
        "A test set instead of the evaluation's own: `golden`, `golden@3`.",
        "golden@3",
      ),
      trials: orNull(
        wholeUpTo({ description: "How often each case is called." }, 1, MOST_RUN_TRIALS),
      ),
      concurrency: orNull(
        wholeUpTo({ description: "Calls at a time, on all servers." }, 1, MOST_RUN_CONCURRENCY),
      ),
      max_cost: orNull(
        amount(
          "In US dollars, judges included. The run stops there, and at the first unknown cost.",
        ),
      ),
      message: orNull(text({ description: "Why, for the list of runs." })),
      scorers_revision: orNull(
        wholeNumber({ description: "The revision of the scorers' configurations." }, 1),
      ),
    }),
    { description: "A run that the platform carries out.", example: EXAMPLE },
  );

/** Starts a run that the platform carries out itself. */
export function startRunRoute(
  registry: Registry,
  executor: Pick<RunExecutor, "startRun">,
  maxBodyBytes: number,
): Route {
  return registryRoute(maxBodyBytes, {
    method: "POST",
    path: "/registry/applications/{app}/evaluations/{evaluation}/runs",
    access: "evaluate",
    limitedTo: registry,
    tag: "evaluations",
    id: "startRun",
    summary: "Start a run",
    description:
      "The platform calls, scores and judges. Code, configurations and cases are pinned now: later deploys, commits and changed test sets do not matter. Then read the run until its status is not `running`. A request with an `id` can be sent again: it answers the same run.",
    body: startBody,
    success: created("Run", "The run."),
    errors: [
      "run_conflict",
      "run_invalid",
      "run_not_found",
      "environment_not_found",
      "environment_not_allowed",
      "variant_not_found",
      "revision_not_found",
      "test_set_not_found",
      "build_not_found",
      "build_missing",
      "build_unusable",
      "no_room",
      "evaluations_missing",
    ],
    answer: async ({ caller, ref, params, body }, reply) => {
      const given = Object.entries(body).filter(([, value]) => value !== null);
      const asked = Object.fromEntries(given) as NewPlatformRun;
      const started = await executor.startRun(ref, params.evaluation, asked, caller.name);
      return outcomeAnswer(started, (run) =>
        reply(run, { location: `${RUNS}/${encodeURIComponent(run.id)}` }),
      );
    },
  });
}
