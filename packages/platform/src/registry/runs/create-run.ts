import { createHash, randomInt } from "node:crypto";
import { BASELINE_COLUMN, isRecord, type Run, type RunColumn, shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { findBuild } from "../build-rows.ts";
import { newId, slugProblem } from "../names.ts";
import { lockProject } from "../projects.ts";
import type { Applications } from "../registry.ts";
import type { RegistryContext } from "../registry-context.ts";
import { inTransaction, storableText } from "../registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refusalOf, refused } from "../registry-outcome.ts";
import { findScorersRevision } from "../scorer-revisions.ts";
import type { RunRef, RunRequest } from "./run-registry.ts";
import { findRun, invalid, type RunRow, type RunSpec, runDocument } from "./run-rows.ts";

/** Seeds are whole numbers below it. */
const SEEDS = 2 ** 31;

/** Creates a run, or answers the one that the same request has created before. */
export async function createRun(
  context: RegistryContext,
  applications: Pick<Applications, "ensure">,
  project: string,
  request: RunRequest,
  by: string,
): Promise<RegistryOutcome<Run>> {
  const refusal = refusalOf(requestProblems(request));
  if (refusal !== undefined) return refusal;
  const application = await applications.ensure(project, request.application);
  if (application.kind === "refused") return application;
  const { id: applicationId, slug } = application.value;
  const hash = hashOf(request.asked ?? request);
  return inTransaction(context, async (tx) => {
    const locked = await lockProject(tx, project);
    if (locked.kind === "refused") return locked;
    const earlier = request.id === null ? null : await findRun(tx, { project, run: request.id });
    if (earlier?.kind === "done") return answerAgain(earlier.value, hash);
    const columns = await resolveColumns(tx, applicationId, request);
    if (columns.kind === "refused") return columns;
    const pinned = request.scorers_revision;
    if (pinned !== null) {
      const loc = ["body", "scorers_revision"];
      const scorers = await findScorersRevision(tx, applicationId, pinned, loc);
      if (scorers.kind === "refused") return scorers;
    }
    const key = newId("run");
    const at = context.now();
    const row: RunRow = {
      ...EMPTY,
      key,
      project_id: project,
      application_id: applicationId,
      application: slug,
      number: await nextNumber(tx, project),
      id: request.id ?? key,
      evaluation: request.evaluation,
      runner: request.runner,
      testset_name: request.testset.kind === "testset" ? request.testset.name : null,
      spec: specOf(request, columns.value),
      request_hash: hash,
      started_by: storableText(by),
      started_at: at,
      updated_at: at,
    };
    const { application: _, ...stored } = row;
    const values = { ...stored, spec: JSON.stringify(row.spec) };
    await tx.insertInto("runs").values(values).execute();
    return done(runDocument(row));
  });
}

const EMPTY = {
  status: "running",
  reason: null,
  ended_at: null,
  cases: 0,
  results: 0,
  errors: 0,
  unknown_costs: 0,
  call_cost: 0,
  unknown_judge_costs: 0,
  judge_cost: 0,
  next_item: 0,
  verdict: null,
  figures: null,
} as const;

function answerAgain(row: RunRow, hash: string): RegistryOutcome<Run> {
  if (row.request_hash === hash) return done(runDocument(row));
  const msg = `Run ${shownValue(row.id)} was created by a different request. Choose another id.`;
  return refused({ type: "run_conflict", loc: ["body", "id"], msg });
}

/** The run that the same request has created before, undefined where it has created none. */
export async function earlierRun(
  db: RegistryDatabase,
  ref: RunRef,
  asked: unknown,
): Promise<RegistryOutcome<Run> | undefined> {
  const found = await findRun(db, ref);
  return found.kind === "refused" ? undefined : answerAgain(found.value, hashOf(asked));
}

function hashOf(asked: unknown): string {
  return createHash("sha256").update(canonical(asked)).digest("hex");
}

/** JSON that is the same for equal requests: keys are sorted. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function specOf(request: RunRequest, columns: readonly RunColumn[]): RunSpec {
  const { testset, scorers, scorers_revision, trials, gate, plan, commit, message, seed } = request;
  return {
    testset,
    scorers,
    scorers_revision,
    trials,
    columns,
    gate,
    ...(plan && { plan }),
    commit,
    message,
    seed: seed ?? randomInt(SEEDS),
  };
}

async function resolveColumns(
  tx: RegistryDatabase,
  applicationId: string,
  { columns }: RunRequest,
): Promise<RegistryOutcome<readonly RunColumn[]>> {
  const resolved: RunColumn[] = [];
  for (const [n, { build, ...column }] of columns.entries()) {
    if (build === null) {
      resolved.push({ ...column, build: null });
      continue;
    }
    const found = await findBuild(tx, applicationId, build, ["body", "columns", n, "build"]);
    if (found.kind === "refused") return found;
    const { id, number } = found.value;
    resolved.push({ ...column, build: { id, number } });
  }
  return done(resolved);
}

async function nextNumber(tx: RegistryDatabase, project: string): Promise<number> {
  const { latest } = await tx
    .selectFrom("runs")
    .select(({ fn }) => fn.max("number").as("latest"))
    .where("project_id", "=", project)
    .executeTakeFirstOrThrow();
  return (latest ?? 0) + 1;
}

function requestProblems(request: RunRequest): RegistryProblem[] {
  const evaluation = slugProblem(request.evaluation, ["body", "evaluation"]);
  return [
    ...(evaluation ? [evaluation] : []),
    ...namesProblems("scorers", request.scorers),
    ...namesProblems("columns", request.columns),
    ...columnProblems(request),
    ...gateProblems(request),
    ...testsetProblems(request),
  ];
}

/** Names are slugs, and differ from each other. */
function namesProblems(
  list: "scorers" | "columns",
  named: readonly { readonly name: string }[],
): RegistryProblem[] {
  const seen = new Set<string>();
  return named.flatMap(({ name }, n) => {
    const loc = [list, n, "name"];
    const fault = slugProblem(name, ["body", ...loc]);
    if (fault !== undefined) return [fault];
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [invalid(loc, `Another one of the ${list} is called ${shownValue(name)}.`)];
  });
}

function columnProblems({ columns: [first] }: RunRequest): RegistryProblem[] {
  if (first?.name !== BASELINE_COLUMN) return [];
  const msg = "The first column is the candidate. Put the baseline after it.";
  return [invalid(["columns", 0, "name"], msg)];
}

/** A gate on a score that nothing makes would never be decided. */
function gateProblems({ gate, scorers }: RunRequest): RegistryProblem[] {
  const names = scorers.map(({ name }) => name);
  return Object.keys(gate.scores ?? {}).flatMap((name) => {
    if (names.includes(name)) return [];
    const msg = `There is no scorer ${shownValue(name)}. Name it in "scorers".`;
    return [invalid(["gate", "scores", name], msg)];
  });
}

function testsetProblems({ testset: { kind, name, revision } }: RunRequest): RegistryProblem[] {
  const problems: RegistryProblem[] = [];
  if (kind !== "inline" && name === null) {
    problems.push(invalid(["testset", "name"], `Required where the kind is ${kind}.`));
  }
  if (kind === "testset" && revision === null) {
    problems.push(invalid(["testset", "revision"], "Required where the kind is testset."));
  }
  return problems;
}
