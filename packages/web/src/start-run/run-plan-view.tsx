import type { TestSet } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../api/platform-context.tsx";
import { testSetRevisionQuery } from "../api/testsets.ts";
import { parseNumber } from "../design/number-box.tsx";
import { RUN_REF, type RunDraft } from "./run-choices.ts";
import { type CaseSource, caseSource, latestRows, marginNotes, planText } from "./run-plan.ts";

interface RunPlanProps {
  readonly evaluation: DeclaredEvaluation;
  readonly draft: RunDraft;
  readonly testSets: readonly TestSet[];
}

/** How many calls a run makes, and what so many cases can show. */
export function RunPlan({ evaluation, draft, testSets }: RunPlanProps) {
  const source = caseSource(draft.testset === "" ? evaluation.testset : draft.testset);
  const cases = useCaseCount(source, testSets);
  const refs = [draft.candidate, draft.baseline].filter((ref) => ref !== "");
  const stored = refs.filter((ref) => ref.startsWith(RUN_REF)).length;
  const plan = planText({
    cases,
    trials: parseNumber(draft.trials),
    columns: { called: refs.length - stored, stored },
  });
  const notes = marginNotes(evaluation.gate, cases, draft.baseline !== "");
  return (
    <section aria-label="Plan" aria-live="polite" className="rounded-md bg-sunken px-3 py-2">
      <p className="font-medium tabular-nums">{plan ?? noPlanText(source, testSets)}</p>
      {notes.map((note) => (
        <p key={note} className="text-ink-soft">
          {note}
        </p>
      ))}
      {evaluation.gate === null && (
        <p className="text-ink-soft">The evaluation has no gate: the run gets no verdict.</p>
      )}
    </section>
  );
}

function noPlanText(source: CaseSource, testSets: readonly TestSet[]): string {
  if (source.kind === "testset" && !testSets.some(({ slug }) => slug === source.slug)) {
    return `There is no test set ${source.slug}. Create it, or choose another.`;
  }
  return "The number of calls is known once the run has started.";
}

/** Null where it is not known before the run. */
function useCaseCount(source: CaseSource, testSets: readonly TestSet[]): number | null {
  const pinned = source.kind === "testset" ? source : null;
  const { data } = useQuery(
    testSetRevisionQuery(usePlatform(), pinned?.slug ?? "", pinned?.revision ?? 0),
  );
  switch (source.kind) {
    case "inline":
      return source.cases;
    case "file":
      return null;
    case "testset":
      return source.revision === null ? latestRows(source.slug, testSets) : (data?.rows ?? null);
  }
}
