import type { RunCase, RunResult, RunScore } from "@agate/protocol";
import { sql } from "kysely";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { Page } from "../paging.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";
import { isCaseId } from "./add-cases.ts";
import type { CaseContent, CaseFilter, ForwardPage, ResultFilter, RunRef } from "./run-registry.ts";
import { findRun, type RunRow } from "./run-rows.ts";
import { tallyRun } from "./tally-run.ts";

/** Of what is on a page, in characters; a page has at least one item. */
export const MOST_PAGE_CHARACTERS = 8 * 1024 * 1024;

/** Results by case, column and trial. */
export async function readResults(
  db: RegistryDatabase,
  ref: RunRef,
  filter: ResultFilter,
  { limit, after }: ForwardPage,
): Promise<RegistryOutcome<Page<RunResult>>> {
  const found = await findRun(db, ref);
  if (found.kind === "refused") return found;
  const { key, spec } = found.value;
  const { columns, trials } = spec;
  const column = columns.findIndex(({ name }) => name === filter.column);
  const isNone =
    (filter.column !== null && column === -1) || (filter.case !== null && !isCaseId(filter.case));
  if (isNone) return done({ items: [], next: null });
  const place = sql<number>`(case_number * ${columns.length} + column_number) * ${trials} + trial`;
  let query = db
    .selectFrom("run_results")
    .innerJoin("run_cases", (join) =>
      join
        .onRef("run_cases.run_key", "=", "run_results.run_key")
        .onRef("run_cases.number", "=", "run_results.case_number"),
    )
    .where("run_results.run_key", "=", key)
    .orderBy("case_number")
    .orderBy("column_number")
    .orderBy("trial");
  if (column !== -1) query = query.where("column_number", "=", column);
  if (filter.case !== null) query = query.where("run_cases.id", "=", filter.case);
  if (after !== null) {
    const before = after - 1;
    const numbers = [
      Math.floor(before / trials / columns.length),
      Math.floor(before / trials) % columns.length,
      before % trials,
    ];
    query = query.where(sql<boolean>`(case_number, column_number, trial) > (${sql.join(numbers)})`);
  }
  const sizes = await query
    .select(place.as("place"))
    .select(sql<number>`coalesce(length(output), 0) + length(scores)`.as("size"))
    .limit(limit + 1)
    .execute();
  const taken = fitting(sizes, limit);
  const rows = await query
    .selectAll("run_results")
    .select("run_cases.id as case_id")
    .limit(Math.max(taken, 1))
    .execute();
  const last = sizes[taken - 1];
  const next = sizes.length > taken && last !== undefined ? Number(last.place) + 1 : null;
  return done({ items: rows.map((row) => resultDocument(found.value, row)), next });
}

/** How many of these fit on a page: one at least. */
function fitting(sizes: readonly { readonly size: number }[], limit: number): number {
  let total = 0;
  for (const [n, { size }] of sizes.slice(0, limit).entries()) {
    total += Number(size);
    if (total > MOST_PAGE_CHARACTERS && n > 0) return n;
  }
  return Math.min(sizes.length, limit);
}

interface ResultRow {
  readonly case_id: string;
  readonly column_number: number;
  readonly trial: number;
  readonly status: "ok" | "error";
  readonly output: string | null;
  readonly is_output_cut: number;
  readonly error: string | null;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  readonly latency_ms: number | null;
  readonly cost: number | null;
  readonly judge_cost: number | null;
  readonly scores: string;
  readonly created_at: string;
}

function resultDocument({ spec }: RunRow, row: ResultRow): RunResult {
  return {
    column: spec.columns[row.column_number]?.name ?? "",
    case: row.case_id,
    trial: row.trial,
    status: row.status,
    output: row.output === null ? null : JSON.parse(row.output),
    is_output_cut: row.is_output_cut === 1,
    error: row.error,
    trace_id: row.trace_id,
    span_id: row.span_id,
    latency_ms: row.latency_ms,
    cost: row.cost,
    judge_cost: row.judge_cost,
    scores: JSON.parse(row.scores) as RunScore[],
    created_at: row.created_at,
  };
}

/** Cases with what came of them in each column. */
export async function readCases(
  db: RegistryDatabase,
  ref: RunRef,
  filter: CaseFilter,
  page: ForwardPage,
): Promise<RegistryOutcome<Page<RunCase>>> {
  const found = await findRun(db, ref);
  if (found.kind === "refused") return found;
  const run = found.value;
  const first = page.after ?? 0;
  const asked = Math.min(page.limit, Math.max(run.cases - first, 0));
  const range = filter.worse ? { first: 0, count: run.cases } : { first, count: asked };
  const tally = await tallyRun(db, run, range);
  const all = filter.worse
    ? tally.worse(filter.score).map((each) => each.case)
    : Array.from({ length: asked }, (_, n) => first + n);
  const listed = filter.worse ? all.slice(first, first + page.limit) : all;
  const contents = await readContents(db, run.key, listed);
  const items = contents.map(
    ({ number, id, content }): RunCase => ({
      id,
      ...parsedContent(content),
      columns: tally.caseColumns(number - range.first),
      differences: tally.differences(number - range.first),
    }),
  );
  const end = first + items.length;
  const total = filter.worse ? all.length : run.cases;
  return done({ items, next: end < total && items.length > 0 ? end : null });
}

interface StoredCase {
  readonly number: number;
  readonly id: string;
  readonly content: string | null;
}

/** Cases by their numbers, in the order of these, as far as they fit on a page. */
async function readContents(
  db: RegistryDatabase,
  runKey: string,
  numbers: readonly number[],
): Promise<readonly StoredCase[]> {
  if (numbers.length === 0) return [];
  const cases = db.selectFrom("run_cases").where("run_key", "=", runKey);
  const sizes = await cases
    .select("number")
    .select(sql<number>`coalesce(length(content), 0)`.as("size"))
    .where("number", "in", numbers)
    .execute();
  const sizeOf = new Map(sizes.map(({ number, size }) => [number, Number(size)]));
  const ordered = numbers.map((number) => ({ size: sizeOf.get(number) ?? 0 }));
  const taken = numbers.slice(0, fitting(ordered, numbers.length));
  const rows = await cases
    .select(["number", "id", "content"])
    .where("number", "in", taken)
    .execute();
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  return taken.flatMap((number) => byNumber.get(number) ?? []);
}

function parsedContent(content: string | null): CaseContent & { readonly purged?: true } {
  return content === null
    ? { inputs: null, metadata: {}, purged: true }
    : (JSON.parse(content) as CaseContent);
}
