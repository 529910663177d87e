import { writeFile } from "node:fs/promises";
import { EvaluatorClient } from "@agate/platform/evaluations";
import type { CheckFault, DeclaredEvaluation } from "@agate/protocol/evaluator";
import { smallestMargin } from "@agate/protocol/statistics";
import { formatProblems } from "../packing/code-problem.ts";
import { findEvalFiles } from "../packing/find-eval-files.ts";
import { gitCommit } from "../packing/git-commit.ts";
import { openProject, type Project } from "../packing/project.ts";
import { progressBar, silentProgress, startProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { EvalFailure } from "./eval-failure.ts";
import { type EvaluationReport, exitCodeOf, resultOf } from "./evaluation-report.ts";
import { startEvaluator } from "./evaluator-process.ts";
import { type PinnedScorers, unfinishedRun } from "./kept-run.ts";
import { type LoadedCases, loadCases } from "./load-cases.ts";
import { githubReport, jsonReport, junitReport } from "./other-reporters.ts";
import { pinScorers } from "./pin-scorers.ts";
import { type EvalPlatform, reportedAddress, reportTo } from "./report-run.ts";
import { resolveColumns } from "./resolve-columns.ts";
import type { RunColumns } from "./run-column.ts";
import { runEvaluation } from "./run-evaluation.ts";
import { type StartedBuilds, startBuilds } from "./start-builds.ts";
import { tableReport } from "./table-reporter.ts";

/** What the command line asks for. */
export interface EvalRequest {
  readonly only?: readonly string[] | undefined;
  readonly candidate?: string | undefined;
  readonly baseline?: string | undefined;
  /** The revision of the scorers' configurations. */
  readonly scorers?: number | undefined;
  readonly trials?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly maxCost?: number | undefined;
  readonly reporter: "table" | "json" | "junit" | "github";
  readonly output?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly url?: string | undefined;
  readonly app?: string | undefined;
  /** Whether a platform gets the runs. */
  readonly report: boolean;
}

export interface EvalSession {
  readonly files: readonly string[];
  readonly flags: EvalRequest;
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** Undefined where none is named. */
  readonly platform: EvalPlatform | undefined;
  /** Where the command was started. */
  readonly folder: string;
  /** Aborted by the first signal: calls that are running end. */
  readonly signal: AbortSignal;
}

/**
 * Runs evaluations, prints their reports, and returns the exit code.
 *
 * @throws EvalFailure where nothing could be run.
 */
export async function runEvals(session: EvalSession): Promise<number> {
  const { flags, terminal, signal } = session;
  const files = await findEvalFiles(session.files, session.folder);
  if ("kind" in files) throw new EvalFailure(files.reason);
  const project = await openProject(files[0]);
  if (project.kind === "refused") throw new EvalFailure(project.reason);
  await using evaluator = await started(session, project, files);
  using client = new EvaluatorClient(evaluator.socketPath);
  const evaluations = chosen(await client.evaluations(), flags.only);
  // All are checked before the first call of any: a typing error must not cost a run.
  const prepared: PreparedEvaluation[] = [];
  for (const declared of evaluations) {
    const before = flags.resume ? unfinishedRun(project.folder, declared.name) : undefined;
    const { evaluation, scorers } = await pinScorers(declared, {
      platform: session.platform,
      wanted: flags.scorers,
      pinned: before?.header.scorers_revision,
      note: (sentence) => terminal.note(sentence),
    });
    const cases = await loadCases(evaluation, {
      folder: project.folder,
      api: session.platform?.api,
      pinned: before?.header.testset ?? null,
    });
    if (cases.kind === "refused") throw new EvalFailure(cases.reason);
    await expectFit(client, evaluation, cases);
    const columns = await resolveColumns(flags, {
      folder: project.folder,
      application: evaluation.application,
      platform: session.platform,
      note: (sentence) => terminal.note(sentence),
    });
    prepared.push({ evaluation, scorers, cases, columns });
  }
  await using builds = await startBuilds({
    project,
    columns: prepared.flatMap(({ evaluation: { application }, columns }) =>
      Object.values(columns).map((column) => ({ application, column })),
    ),
    platform: session.platform && { ...session.platform, getsTraces: flags.report },
    env: session.env,
    onOutput: (text) => terminal.writeNote(text),
    note: (sentence) => terminal.note(sentence),
    signal,
  });
  signal.addEventListener("abort", () =>
    terminal.note("Interrupted: waiting for running calls. Press Ctrl-C again to end at once."),
  );
  const reports: EvaluationReport[] = [];
  const commit = await gitCommit(project.folder, session.env);
  for (const each of prepared) {
    const report = await runOne(session, each, { client, builds, project, commit });
    reports.push(report);
    if (flags.reporter === "table" || flags.output !== undefined) {
      for (const line of tableReport(report, terminal.paint, terminal.columns))
        terminal.print(line);
      terminal.print("");
    }
    if (signal.aborted) break;
  }
  await writeReport(session, reports);
  return exitCodeOf(reports.map(({ result }) => result));
}

interface PreparedEvaluation {
  readonly evaluation: DeclaredEvaluation;
  readonly scorers: PinnedScorers;
  readonly cases: LoadedCases;
  readonly columns: RunColumns;
}

interface RunParts {
  readonly client: EvaluatorClient;
  readonly builds: StartedBuilds;
  readonly project: Project;
  readonly commit: string | null;
}

async function started(
  { flags, terminal, env, platform }: EvalSession,
  project: Project,
  files: readonly string[],
) {
  const outcome = await startEvaluator({
    project,
    files,
    application: flags.app,
    env,
    platform: platform && { ...platform.api.connection, getsTraces: flags.report },
    onOutput: (text) => terminal.writeNote(text),
  });
  switch (outcome.kind) {
    case "started":
      return outcome;
    case "refused":
      throw new EvalFailure(outcome.reason);
    case "broken":
      terminal.writeNote(formatProblems(outcome.problems, terminal.paintNote));
      throw new EvalFailure("The eval files cannot be built, as shown above.");
    case "threw":
      throw new EvalFailure(
        `The eval files threw while they started (${outcome.exit}), as shown above.`,
      );
  }
}

function chosen(
  declared: readonly DeclaredEvaluation[],
  only: readonly string[] | undefined,
): readonly DeclaredEvaluation[] {
  if (declared.length === 0) {
    throw new EvalFailure(
      'The eval files declare no evaluation. Write one: export const quality = evaluation("quality", { route, testset, scorers }).',
    );
  }
  const names = declared.map(({ name }) => name);
  const missing = only?.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw new EvalFailure(
      `There is no evaluation ${JSON.stringify(missing)}. The eval files declare ${names.join(", ")}.`,
    );
  }
  return declared.filter(({ name }) => only === undefined || only.includes(name));
}

/** Faults that a message lists. */
const MOST_FAULTS = 10;

async function expectFit(
  client: EvaluatorClient,
  { name }: DeclaredEvaluation,
  { cases, source }: LoadedCases,
): Promise<void> {
  const faults = await client.check(name, cases);
  if (faults.length === 0) return;
  const rest = faults.length - MOST_FAULTS;
  throw new EvalFailure(
    `Cases of ${source} do not fit the evaluation ${name}. Nothing was called.`,
    [...faults.slice(0, MOST_FAULTS).map(shownFault), ...(rest > 0 ? [`and ${rest} more`] : [])],
  );
}

function shownFault({ id, path, msg }: CheckFault): string {
  return `case ${id}, ${path.join(".")}: ${msg}`;
}

async function runOne(
  { flags, terminal, signal, platform }: EvalSession,
  { evaluation, scorers, cases: loaded, columns }: PreparedEvaluation,
  { client, builds, project, commit }: RunParts,
): Promise<EvaluationReport> {
  const { cases, source } = loaded;
  const target = flags.report ? platform : undefined;
  const trials = flags.trials ?? evaluation.trials;
  noteMargins(evaluation, cases.length, columns, terminal);
  using progress = terminal.canAnimate ? startProgress(terminal, 0) : silentProgress;
  progress.begin(evaluation.name);
  const outcome = await runEvaluation({
    client,
    builds: builds.clients,
    evaluation,
    scorers,
    cases,
    testset: loaded.testset,
    columns,
    folder: project.folder,
    trials,
    concurrency: flags.concurrency ?? evaluation.concurrency,
    maxCost: flags.maxCost,
    resume: flags.resume === true,
    commit,
    platform: platform?.api.connection.url,
    report: target && reportTo(target, { evaluation, loaded, columns }, terminal),
    signal,
    onProgress: (done, all, failed) =>
      progress.update(
        `${progressBar(done, all)}  ${done} of ${all} calls${failed > 0 ? `, ${failed} failed` : ""}`,
      ),
  });
  if (outcome.kind === "refused") throw new EvalFailure(outcome.reason);
  progress.done();
  const { name, route, gate } = evaluation;
  const testset = { source, cases: cases.length };
  const address = target ? reportedAddress(target, outcome, terminal) : null;
  return { name, route, gate, testset, trials, outcome, address, result: resultOf(outcome) };
}

/** Before the first call: a gate that so few cases cannot decide. */
function noteMargins(
  { name, gate }: DeclaredEvaluation,
  cases: number,
  { baseline }: RunColumns,
  terminal: Terminal,
): void {
  const margins = Object.entries(gate?.scores ?? {}).flatMap(([score, bounds]) =>
    bounds?.notWorseBy === undefined ? [] : [{ score, margin: bounds.notWorseBy }],
  );
  if (margins.length === 0) return;
  if (baseline === undefined) {
    terminal.note(`${name} has a gate that compares: pass --baseline, or it cannot be judged.`);
    return;
  }
  const smallest = smallestMargin(cases);
  for (const { score, margin } of margins) {
    if (margin >= smallest) continue;
    terminal.note(
      `${name}: ${cases} cases can show a margin of ${smallest.toFixed(3)} at best. The gate on ${score}, notWorseBy ${margin}, needs more cases to pass.`,
    );
  }
}

async function writeReport(
  { flags, terminal }: EvalSession,
  reports: readonly EvaluationReport[],
): Promise<void> {
  const text = reportText(flags.reporter, reports, terminal);
  if (flags.output !== undefined) await writeFile(flags.output, `${text}\n`);
  else if (flags.reporter !== "table") terminal.print(text);
}

function reportText(
  reporter: EvalRequest["reporter"],
  reports: readonly EvaluationReport[],
  terminal: Terminal,
): string {
  switch (reporter) {
    case "json":
      return jsonReport(reports);
    case "junit":
      return junitReport(reports);
    case "github":
      return githubReport(reports);
    case "table": {
      const plain: Terminal["paint"] = (_style, text) => text;
      return reports
        .flatMap((report) => [...tableReport(report, plain, terminal.columns), ""])
        .join("\n");
    }
  }
}
