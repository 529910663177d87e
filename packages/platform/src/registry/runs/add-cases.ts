import {
  type AddedCases,
  MOST_CASE_BYTES,
  MOST_RUN_CASES,
  MOST_RUN_ITEMS,
  type NewRunCase,
} from "@agate/protocol";
import type { RegistryContext } from "../registry-context.ts";
import { inTransaction } from "../registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refusalOf, refused } from "../registry-outcome.ts";
import type { CaseContent, RunRef } from "./run-registry.ts";
import { invalid, itemsPerCase, lockRunning, type RunRow } from "./run-rows.ts";

const LONGEST_ID = 200;

/** The id of a case, as JSON Schema. */
export const CASE_ID_SCHEMA = {
  pattern: "^[^\\u0000-\\u001f\\u007f]+$",
  maxLength: LONGEST_ID,
} as const;
const ID = new RegExp(CASE_ID_SCHEMA.pattern);

/** Whether a text can be the id of a case. Others must not reach the database. */
export function isCaseId(id: string): boolean {
  return id.length <= LONGEST_ID && ID.test(id) && id.isWellFormed();
}

export async function addCases(
  context: RegistryContext,
  ref: RunRef,
  cases: readonly NewRunCase[],
): Promise<RegistryOutcome<AddedCases>> {
  const texts = cases.map((each) => JSON.stringify(contentOf(each)));
  const refusal = refusalOf(cases.flatMap((each, n) => caseProblems(each, texts[n] ?? "", n)));
  if (refusal !== undefined) return refusal;
  return inTransaction(context, async (tx) => {
    const run = await lockRunning(tx, context, ref);
    if (run.kind === "refused") return run;
    const { key, cases: count } = run.value;
    const ids = cases.map(({ id }) => id);
    const known = await tx
      .selectFrom("run_cases")
      .select("id")
      .where("run_key", "=", key)
      .where("id", "in", ids)
      .execute();
    const taken = new Set(known.map(({ id }) => id));
    const rows: { run_key: string; number: number; id: string; content: string }[] = [];
    const ignored: string[] = [];
    for (const [n, id] of ids.entries()) {
      if (taken.has(id)) ignored.push(id);
      else rows.push({ run_key: key, number: count + rows.length, id, content: texts[n] ?? "" });
      taken.add(id);
    }
    const tooMany = sizeProblem(run.value, count + rows.length);
    if (tooMany !== undefined) return refused(tooMany);
    if (rows.length > 0) {
      await tx.insertInto("run_cases").values(rows).execute();
      const cases = count + rows.length;
      await tx.updateTable("runs").set({ cases }).where("key", "=", key).execute();
    }
    return done({ added: rows.length, ignored });
  });
}

function contentOf(row: NewRunCase): CaseContent {
  const { inputs, expected, metadata } = row;
  return { inputs, ...(expected !== undefined && { expected }), metadata: metadata ?? {} };
}

function caseProblems({ id }: NewRunCase, text: string, n: number): RegistryProblem[] {
  if (!isCaseId(id)) {
    const msg = `Must be a text of 1 to ${LONGEST_ID} characters without control characters.`;
    return [invalid(["cases", n, "id"], msg)];
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_CASE_BYTES) return [];
  const msg = `Inputs, expectation and metadata must be ${MOST_CASE_BYTES} bytes or less together (got ${bytes}).`;
  return [invalid(["cases", n], msg)];
}

function sizeProblem(run: RunRow, cases: number): RegistryProblem | undefined {
  const items = cases * itemsPerCase(run);
  if (cases > MOST_RUN_CASES) {
    return invalid(
      ["cases"],
      `A run has at most ${MOST_RUN_CASES} cases (this would be ${cases}).`,
    );
  }
  if (items <= MOST_RUN_ITEMS) return undefined;
  const msg = `A run has at most ${MOST_RUN_ITEMS} calls (${cases} cases × ${itemsPerCase(run)} would be ${items}). Use fewer trials or cases.`;
  return invalid(["cases"], msg);
}
