import type { TestSet } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { plural } from "@agate/protocol/format";
import { smallestMargin } from "@agate/protocol/statistics";

/** A gate that compares the candidate with the baseline. */
interface ComparingGate {
  readonly score: string;
  readonly margin: number;
}

export function comparingGates(gate: DeclaredEvaluation["gate"]): readonly ComparingGate[] {
  return Object.entries(gate?.scores ?? {}).flatMap(([score, bounds]) =>
    bounds?.notWorseBy === undefined ? [] : [{ score, margin: bounds.notWorseBy }],
  );
}

/** Where the cases of a run come from. */
export type CaseSource =
  | { readonly kind: "inline"; readonly cases: number }
  | { readonly kind: "file"; readonly path: string }
  /** `revision` null: the latest. */
  | { readonly kind: "testset"; readonly slug: string; readonly revision: number | null };

const FILE = /^\.|\.(?:jsonl|csv)$/;

/**
 * @param testset As an evaluation declares it: rows, a file, `golden` or `golden@3`.
 */
export function caseSource(testset: DeclaredEvaluation["testset"]): CaseSource {
  if (typeof testset !== "string") return { kind: "inline", cases: testset.length };
  if (FILE.test(testset)) return { kind: "file", path: testset };
  const [slug = "", revision] = testset.split("@");
  const isPinned = revision !== undefined && revision !== "latest";
  return { kind: "testset", slug, revision: isPinned ? Number(revision) : null };
}

/** How many cases the latest revision of a test set has; null where there is no such set. */
export function latestRows(slug: string, testSets: readonly TestSet[]): number | null {
  return testSets.find((each) => each.slug === slug)?.rows ?? null;
}

interface PlannedRun {
  /** Null where the number is not known before the run. */
  readonly cases: number | null;
  readonly trials: number | undefined;
  /** Columns that are called, and those whose outputs an earlier run has. */
  readonly columns: { readonly called: number; readonly stored: number };
}

/**
 * What a run will call.
 *
 * @example planText({ cases: 12, trials: 3, columns: { called: 2, stored: 0 } }) // "12 cases × 3 trials × 2 columns = 72 calls"
 */
export function planText({ cases, trials, columns }: PlannedRun): string | null {
  if (cases === null || trials === undefined) return null;
  const { called, stored } = columns;
  const factors = [
    plural(cases, "case"),
    ...(trials === 1 ? [] : [plural(trials, "trial")]),
    ...(called < 2 ? [] : [plural(called, "column")]),
  ];
  const calls = plural(cases * trials * called, "call");
  const text = called === 0 || factors.length === 1 ? calls : `${factors.join(" × ")} = ${calls}`;
  return stored === 0 ? text : `${text}. Stored outputs are scored again.`;
}

/** What so many cases can show, before a run: a line for each gate that cannot pass. */
export function marginNotes(
  gate: DeclaredEvaluation["gate"],
  cases: number | null,
  hasBaseline: boolean,
): readonly string[] {
  const gates = comparingGates(gate);
  if (gates.length === 0) return [];
  if (!hasBaseline) {
    const scores = gates.map(({ score }) => score).join(", ");
    return [`The gate on ${scores} compares. Choose a baseline, or it cannot be judged.`];
  }
  if (cases === null || cases === 0) return [];
  const smallest = smallestMargin(cases);
  return [
    `${plural(cases, "case")} can show a margin of ${smallest.toFixed(3)} at best.`,
    ...gates
      .filter(({ margin }) => margin < smallest)
      .map(
        ({ score, margin }) =>
          `The gate on ${score}, not worse by ${margin}, needs more cases to pass.`,
      ),
  ];
}
