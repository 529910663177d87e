import { RUN_STATUSES } from "@agate/protocol";
import * as z from "zod/mini";
import type { Registry } from "../../../registry/registry.ts";
import type { RunEnding, RunRef, RunRequest } from "../../../registry/runs/run-registry.ts";
import { choice, name, oneOf, orNull, text } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { created, noContent, success } from "../../route.ts";
import {
  outcomeAnswer,
  pageOf,
  pageQuery,
  pageRequest,
  registryRoute,
} from "../registry/registry-route.ts";
import { newRun, type RunInput } from "./run-inputs.ts";

/** Told of runs that were ended here: the platform may be calling for them. */
export interface RunWatcher {
  notice(ref: RunRef): void;
}

export const RUNS = "/registry/runs";
export const RUN = `${RUNS}/{run}` as const;

/** A key that adds to runs may read them: to resume one, and for its verdict. */
export const READS_RUNS = ["read", "evaluate"] as const;

const runQuery = () =>
  z.object({
    ...pageQuery("runs").shape,
    application: z.optional(name({ description: "Slug or id of an application." })),
    evaluation: z.optional(name({ description: "Name of an evaluation." })),
    status: z.optional(choice({ description: "Only runs of this status." }, RUN_STATUSES)),
  });

const endBody = () =>
  z.strictObject({
    status: orNull(
      oneOf({ description: "`stopped` by default; `failed` where it could not be carried out." }, [
        "stopped",
        "failed",
      ]),
    ),
    reason: orNull(text({ description: "Why.", example: "The cost ceiling was reached." })),
  });

/** Runs of evaluations: creating, listing, reading, ending and deleting them. */
export function runRoutes(
  { runs }: Pick<Registry, "runs">,
  watcher: RunWatcher,
  maxBodyBytes: number,
): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: RUNS,
      access: READS_RUNS,
      tag: "evaluations",
      id: "listRuns",
      summary: "List runs",
      description: "Newest first.",
      query: runQuery,
      success: success("RunList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ caller, query }, reply) => {
        const { application = null, evaluation = null, status = null } = query;
        const filter = { application, evaluation, status };
        const listed = await runs.list(caller.project, filter, pageRequest(query));
        return outcomeAnswer(listed, (page) => reply(pageOf("runs", page)));
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: RUNS,
      access: "evaluate",
      tag: "evaluations",
      id: "createRun",
      summary: "Create a run",
      description:
        "Then add its cases and results, and finish it. A request with an `id` can be sent again: it answers the same run. Another request with that id is a 409.",
      body: newRun,
      success: created("Run", "The run."),
      errors: [
        "run_conflict",
        "run_invalid",
        "slug_invalid",
        "build_not_found",
        "revision_not_found",
      ],
      answer: async ({ caller, body }, reply) =>
        outcomeAnswer(await runs.create(caller.project, requestOf(body), caller.name), (run) =>
          reply(run, { location: `${RUNS}/${encodeURIComponent(run.id)}` }),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: RUN,
      access: READS_RUNS,
      tag: "evaluations",
      id: "getRun",
      summary: "Get a run",
      description: "With its figures: while it is running, those of the results so far.",
      success: success("RunReport", "The run."),
      answer: async ({ caller, params }, reply) =>
        outcomeAnswer(await runs.report({ project: caller.project, run: params.run }), reply),
    }),
    ...endRoutes(runs, watcher, maxBodyBytes),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: RUN,
      access: "admin",
      tag: "evaluations",
      id: "deleteRun",
      summary: "Delete a run",
      description: "With its cases and results, for good. Traces and their scores stay.",
      success: noContent("It is deleted."),
      answer: async ({ caller, params }, reply) => {
        const ref = { project: caller.project, run: params.run };
        const deleted = await runs.delete(ref);
        watcher.notice(ref);
        return outcomeAnswer(deleted, () => reply());
      },
    }),
  ];
}

function endRoutes(runs: Registry["runs"], watcher: RunWatcher, maxBodyBytes: number): Route[] {
  const end = async (ref: RunRef, ending: RunEnding) => {
    const outcome = await runs.end(ref, ending);
    watcher.notice(ref);
    return outcome;
  };
  return [
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${RUN}/finish`,
      access: "evaluate",
      tag: "evaluations",
      id: "finishRun",
      summary: "Finish a run",
      description:
        "Judges it by its gates. Items without a result count as missing: they can undo a pass, never make one. A run without cases has failed. Sent again, it answers the same.",
      success: success("Run", "The run with its verdict."),
      errors: ["run_ended"],
      answer: async ({ caller, params: { run } }, reply) =>
        outcomeAnswer(await end({ project: caller.project, run }, { status: "finished" }), reply),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${RUN}/stop`,
      access: "evaluate",
      tag: "evaluations",
      id: "stopRun",
      summary: "Stop a run",
      description:
        "It has no verdict, and nothing can be added to it any more. Running calls of the platform are broken off.",
      body: endBody,
      success: success("Run", "The run."),
      errors: ["run_ended"],
      answer: async ({ caller, params: { run }, body: { status, reason } }, reply) =>
        outcomeAnswer(
          await end({ project: caller.project, run }, { status: status ?? "stopped", reason }),
          reply,
        ),
    }),
  ];
}

function requestOf(input: RunInput): RunRequest {
  return {
    ...input,
    runner: input.runner ?? "client",
    trials: input.trials ?? 1,
    gate: input.gate ?? {},
    message: input.message ?? "",
  };
}
