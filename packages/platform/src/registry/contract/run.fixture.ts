import type { NewRunCase, Run } from "@agate/protocol";
import type { ResultToAdd, RunRef, RunRequest } from "../runs/run-registry.ts";
import type { Subject } from "./subject.fixture.ts";
import { done } from "./subject.fixture.ts";

export const COLUMNS = [column("candidate"), column("baseline")];

export function column(name: string, build: string | null = null) {
  return { name, ref: "default", build, variant: null, revision: null };
}

/** A run of two columns with one scorer, `right`, as a client asks for it. */
export function runRequest(request: Partial<RunRequest> = {}): RunRequest {
  return {
    id: null,
    application: "support",
    evaluation: "tickets",
    runner: "client",
    testset: { kind: "testset", name: "golden", revision: 1, hash: null },
    scorers: [{ name: "right", version: null }],
    scorers_revision: null,
    trials: 1,
    columns: COLUMNS,
    gate: {},
    commit: null,
    message: "",
    seed: 7,
    ...request,
  };
}

export function caseIds(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `case ${n}`);
}

export function newCases(ids: readonly string[]): NewRunCase[] {
  return ids.map((id) => ({ id, inputs: { text: id } }));
}

/** Starts a run with cases. */
export async function startRun(
  subject: Subject,
  request: Partial<RunRequest>,
  cases: readonly string[] = [],
): Promise<{ readonly run: Run; readonly ref: RunRef }> {
  const { runs } = subject.registry;
  const run = done(await runs.create(subject.project, runRequest(request), "tests"));
  const ref = { project: subject.project, run: run.id };
  for (let first = 0; first < cases.length; first += 500) {
    done(await runs.addCases(ref, newCases(cases.slice(first, first + 500))));
  }
  return { run, ref };
}

/** The result of one call, whose score `right` has this value. */
export function result(
  item: { readonly column: string; readonly case: string; readonly trial?: number },
  value: number | "skipped" | "failed" = 1,
  other: Partial<ResultToAdd> = {},
): ResultToAdd {
  const isValue = typeof value === "number";
  return {
    trial: 0,
    ...item,
    status: "ok",
    output: { text: "answer" },
    error: null,
    trace_id: null,
    span_id: null,
    latency_ms: 10,
    cost: 0.5,
    judge_cost: 0.25,
    scores: [
      {
        name: "right",
        status: isValue ? "ok" : value,
        value: isValue ? value : null,
        label: null,
        explanation: "because",
        error: null,
        version: null,
      },
    ],
    ...other,
  };
}
