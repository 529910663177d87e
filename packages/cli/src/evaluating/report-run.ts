import { setTimeout as delay } from "node:timers/promises";
import type { ColumnRole } from "@agate/platform/evaluations";
import type { NewRun } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import type { ApiClient } from "../api-client/api-client.ts";
import type { ApiFailure } from "../api-client/api-failure.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { RunHeader } from "./kept-run.ts";
import type { LoadedCases } from "./load-cases.ts";
import { type RunColumn, type RunColumns, refOf } from "./run-column.ts";
import type { EvaluationOutcome, RunReporting } from "./run-evaluation.ts";
import { RunReporter } from "./run-reporter.ts";

/** The platform that a command was told of. */
export interface EvalPlatform {
  readonly api: ApiClient;
  /** A failed request as a sentence that says what to do. */
  readonly describe: (failure: ApiFailure) => string;
}

/** What is reported of a run beside its results. */
interface ReportedRun {
  readonly evaluation: DeclaredEvaluation;
  readonly loaded: LoadedCases;
  readonly columns: RunColumns;
}

/** Reports a run to the platform while it goes on. */
export function reportTo(
  { api, describe }: EvalPlatform,
  reported: ReportedRun,
  terminal: Terminal,
): RunReporting {
  const { url } = api.connection;
  return {
    url,
    start: (header) =>
      new RunReporter({
        api,
        run: newRun(header, reported),
        cases: reported.loaded.cases,
        traced: tracedColumns(header, reported.columns, url),
        onAway: (failure) =>
          terminal.note(`${describe(failure)} The run goes on, and its results are kept here.`),
        wait: (milliseconds) => delay(milliseconds),
      }),
  };
}

function newRun(header: RunHeader, { evaluation, loaded, columns }: ReportedRun) {
  return {
    id: header.run,
    application: evaluation.application,
    evaluation: evaluation.name,
    testset: { ...loaded.testset, hash: header.cases },
    scorers: evaluation.scorers.map(({ name, version, kind }) => ({ name, version, kind })),
    scorers_revision: header.scorers_revision,
    trials: header.trials,
    columns: rolesOf(columns).map(([name, column]) => ({ name, ...columnBody(column) })),
    gate: evaluation.gate,
    commit: header.commit,
    seed: header.seed,
  } satisfies NewRun;
}

function columnBody(column: RunColumn) {
  const ref = refOf(column);
  const isCalled = column.kind === "code" || column.kind === "build";
  if (!isCalled || column.target.by === "code") return { ref };
  const { slug: variant, revision } = column.target;
  const build = column.kind === "build" ? { build: column.build.id } : {};
  return { ref, variant, revision, ...build };
}

/** Calls of this code are traced to the platform of the run; stored outputs to that of theirs. */
function tracedColumns(header: RunHeader, columns: RunColumns, url: string): Set<ColumnRole> {
  const traced = rolesOf(columns).filter(([, column]) => {
    if (column.kind === "url") return false;
    return (column.kind === "stored" ? column : header).platform === url;
  });
  return new Set(traced.map(([role]) => role));
}

/** The candidate first. */
function rolesOf(columns: RunColumns): (readonly [ColumnRole, RunColumn])[] {
  return (["candidate", "baseline"] as const).flatMap((role) => {
    const column = columns[role];
    return column === undefined ? [] : [[role, column] as const];
  });
}

/** Where the run can be seen; null where the platform lacks results, which is said. */
export function reportedAddress(
  { api, describe }: EvalPlatform,
  { report, header, end }: EvaluationOutcome,
  terminal: Terminal,
): string | null {
  if (report === undefined) return null;
  switch (report.kind) {
    case "reported":
      return `${api.connection.url}/runs/${header.run}`;
    case "ended":
      terminal.note(
        `The run ${header.run} was ended on the platform before: it takes no more results.`,
      );
      return null;
    case "unsent": {
      const command = `agate eval --resume --only ${header.evaluation}`;
      const later = end === "finished" ? `Send it later with ${command}.` : "";
      terminal.note(
        `The run ${header.run} was not reported: ${describe(report.failure)} ${later}`.trimEnd(),
      );
      return null;
    }
  }
}
