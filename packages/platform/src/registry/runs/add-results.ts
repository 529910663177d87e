import { MOST_OUTPUT_BYTES, type RunItem, type RunScore, shownValue } from "@agate/protocol";
import type { ScoreOutcome } from "@agate/protocol/statistics";
import type { Insertable } from "kysely";
import { sql } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import type { RegistryContext } from "../registry-context.ts";
import { storableText } from "../registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refusalOf } from "../registry-outcome.ts";
import { isCaseId } from "./add-cases.ts";
import { indexOfItem } from "./run-items.ts";
import type { KeptResults, ResultToAdd, ScoredItem } from "./run-registry.ts";
import { invalid, orderOf, type RunRow } from "./run-rows.ts";

type ResultRow = Insertable<RegistryTables["run_results"]>;

/** An item of a batch, with the row that it would become. */
interface Placed {
  readonly item: RunItem;
  readonly place: string;
  readonly row: ResultRow;
}

export interface AddedToRun {
  readonly results: KeptResults;
  /** The run with these results counted. */
  readonly run: RunRow;
}

const NO_RESULTS: KeptResults = { added: 0, ignored: [], kept: [] };

/** Adds results; what an item has already stays, and so does the first of two in one batch. */
export async function addResults(
  tx: RegistryDatabase,
  { now }: Pick<RegistryContext, "now">,
  run: RunRow,
  results: readonly ResultToAdd[],
): Promise<RegistryOutcome<AddedToRun>> {
  if (results.length === 0) return done({ results: NO_RESULTS, run });
  const numbers = await caseNumbers(tx, run.key, results);
  const refusal = refusalOf(results.flatMap((each, n) => problemsOf(run, numbers, each, n)));
  if (refusal !== undefined) return refusal;
  const at = now();
  const placed = results.map((each) => placedRow(run, numbers.get(each.case) ?? 0, each, at));
  const first = new Map(placed.toReversed().map((each) => [each.place, each]));
  const inserted = await insertNew(
    tx,
    [...first.values()].map(({ row }) => row),
  );
  const isNew = (each: Placed) => inserted.has(each.place) && first.get(each.place) === each;
  const added = placed.filter(isNew);
  const counted = await count(tx, run, added);
  await endLeases(tx, run, added);
  const earlier = [...first.values()].filter(({ place }) => !inserted.has(place));
  const kept = added.map(({ item, row }) => scoredItem(run, item, row));
  kept.push(...(await storedItems(tx, run, earlier)));
  const ignored = placed.filter((each) => !isNew(each)).map(({ item }) => item);
  return done({ results: { added: added.length, ignored, kept }, run: { ...run, ...counted } });
}

async function caseNumbers(
  tx: RegistryDatabase,
  runKey: string,
  results: readonly ResultToAdd[],
): Promise<ReadonlyMap<string, number>> {
  const ids = [...new Set(results.map((each) => each.case))].filter(isCaseId);
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom("run_cases")
    .select(["id", "number"])
    .where("run_key", "=", runKey)
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, number }) => [id, number]));
}

function problemsOf(
  { spec }: RunRow,
  numbers: ReadonlyMap<string, number>,
  result: ResultToAdd,
  n: number,
): RegistryProblem[] {
  const problems: RegistryProblem[] = [];
  const add = (path: readonly (string | number)[], msg: string) =>
    problems.push(invalid(["results", n, ...path], msg));
  if (!spec.columns.some(({ name }) => name === result.column)) {
    add(["column"], `The run has no column ${shownValue(result.column)}.`);
  }
  if (!numbers.has(result.case)) {
    add(["case"], `The run has no case ${shownValue(result.case)}. Add its cases first.`);
  }
  if (result.trial >= spec.trials) {
    add(["trial"], `Must be less than the run's trials, ${spec.trials} (got ${result.trial}).`);
  }
  const scored = new Set<string>();
  for (const [at, { name }] of result.scores.entries()) {
    if (scored.has(name)) add(["scores", at, "name"], `There are two scores ${shownValue(name)}.`);
    else if (!spec.scorers.some((scorer) => scorer.name === name)) {
      add(["scores", at, "name"], `The run has no scorer ${shownValue(name)}.`);
    }
    scored.add(name);
  }
  return problems;
}

function placedRow(run: RunRow, caseNumber: number, result: ResultToAdd, at: string): Placed {
  const { column, case: id, trial, status } = result;
  const columnNumber = run.spec.columns.findIndex(({ name }) => name === column);
  const output = status === "ok" ? cutOutput(result.output) : NO_OUTPUT;
  const row = {
    run_key: run.key,
    case_number: caseNumber,
    column_number: columnNumber,
    trial,
    status,
    ...output,
    error: result.error === null ? null : storableText(result.error),
    trace_id: result.trace_id,
    span_id: result.span_id,
    latency_ms: result.latency_ms,
    cost: result.cost,
    judge_cost: result.judge_cost,
    scores: JSON.stringify(versionedScores(run, result.scores)),
    outcomes: JSON.stringify(outcomesOf(result.scores)),
    created_at: at,
  };
  return { item: { column, case: id, trial }, place: placeOf(row), row };
}

const NO_OUTPUT = { output: null, is_output_cut: 0 };

/** Of an output that is too large, the beginning of its JSON is kept as a text. */
function cutOutput(output: unknown): Pick<ResultRow, "output" | "is_output_cut"> {
  const text = JSON.stringify(output ?? null);
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST_OUTPUT_BYTES) return { output: text, is_output_cut: 0 };
  // A character that the cut goes through is left out.
  const beginning = bytes.toString("utf8", 0, MOST_OUTPUT_BYTES).replace(/\uFFFD$/, "");
  return { output: JSON.stringify(beginning), is_output_cut: 1 };
}

function outcomesOf(scores: readonly RunScore[]): Record<string, ScoreOutcome> {
  return Object.fromEntries(
    scores.map(({ name, status, value }) => [name, status === "ok" ? (value ?? "failed") : status]),
  );
}

type Place = Pick<ResultRow, "case_number" | "column_number" | "trial">;

function placeOf({ case_number, column_number, trial }: Place): string {
  return `${case_number} ${column_number} ${trial}`;
}

/** @returns The places of those that had none. */
async function insertNew(
  tx: RegistryDatabase,
  rows: readonly ResultRow[],
): Promise<ReadonlySet<string>> {
  const inserted = await tx
    .insertInto("run_results")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["case_number", "column_number", "trial"])
    .execute();
  return new Set(inserted.map(placeOf));
}

/** @returns What has changed in the run's row. */
async function count(
  tx: RegistryDatabase,
  run: RunRow,
  added: readonly Placed[],
): Promise<Partial<RunRow>> {
  if (added.length === 0) return {};
  const rows = added.map(({ row }) => row);
  const sum = (amounts: readonly (number | null | undefined)[]) =>
    amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0);
  const unknown = (amounts: readonly (number | null | undefined)[]) =>
    amounts.filter((amount) => amount === null).length;
  const counted = {
    results: run.results + rows.length,
    errors: run.errors + rows.filter(({ status }) => status === "error").length,
    unknown_costs: run.unknown_costs + unknown(rows.map(({ cost }) => cost)),
    call_cost: run.call_cost + sum(rows.map(({ cost }) => cost)),
    unknown_judge_costs:
      run.unknown_judge_costs + unknown(rows.map(({ judge_cost }) => judge_cost)),
    judge_cost: run.judge_cost + sum(rows.map(({ judge_cost }) => judge_cost)),
  };
  await tx.updateTable("runs").set(counted).where("key", "=", run.key).execute();
  return counted;
}

/** What has a result is not called again, even if its lease was given to another server meanwhile. */
async function endLeases(
  tx: RegistryDatabase,
  run: RunRow,
  added: readonly Placed[],
): Promise<void> {
  if (run.next_item === 0 || added.length === 0) return;
  const order = orderOf(run);
  const items = added.map(({ row }) =>
    indexOfItem(order, { case: row.case_number, column: row.column_number, trial: row.trial }),
  );
  await tx
    .deleteFrom("run_leases")
    .where("run_key", "=", run.key)
    .where("item", "in", items)
    .execute();
}

export function scoredItem({ spec }: RunRow, item: RunItem, row: ResultRow): ScoredItem {
  const { trace_id = null, span_id = null, created_at } = row;
  const scores = (JSON.parse(row.scores) as RunScore[]).map((score) => {
    const scorer = spec.scorers.find(({ name }) => name === score.name);
    return { ...score, kind: scorer?.kind ?? ("code" as const) };
  });
  return { ...item, trace_id, span_id, scores, created_at };
}

/** A score has the version that the run names, unless it has its own. */
function versionedScores({ spec }: RunRow, scores: readonly RunScore[]): RunScore[] {
  return scores.map((score) => {
    const scorer = spec.scorers.find(({ name }) => name === score.name);
    return { ...score, version: score.version ?? scorer?.version ?? null };
  });
}

async function storedItems(
  tx: RegistryDatabase,
  run: RunRow,
  earlier: readonly Placed[],
): Promise<readonly ScoredItem[]> {
  if (earlier.length === 0) return [];
  const items = new Map(earlier.map(({ place, item }) => [place, item]));
  // PostgreSQL takes what a list of values begins with for text.
  const integer = (value: number) => sql`cast(${value} as integer)`;
  const places = earlier.map(
    ({ row }) => sql`(${sql.join([row.case_number, row.column_number, row.trial].map(integer))})`,
  );
  const rows = await tx
    .selectFrom("run_results")
    .selectAll()
    .where("run_key", "=", run.key)
    .where(sql<boolean>`(case_number, column_number, trial) in (values ${sql.join(places)})`)
    .execute();
  return rows.flatMap((row) => {
    const item = items.get(placeOf(row));
    return item === undefined ? [] : [scoredItem(run, item, row)];
  });
}
