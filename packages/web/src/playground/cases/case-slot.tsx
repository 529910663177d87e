import type { RouteSchema } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { type ReactNode, useCallback, useState } from "react";
import { type InputDraft, parseDraft, typedProblems } from "../../input-form/input-draft.ts";
import { focusBeside } from "../focus-beside.ts";
import { inputProblems } from "../running/server-problems.ts";
import type { Runner } from "../running/use-runner.ts";
import type { TestCase } from "../state/workspace.ts";
import type { WorkspaceAction } from "../state/workspace-reducer.ts";
import { CaseCard } from "./case-card.tsx";

interface CaseSlotProps {
  readonly route: RouteSchema;
  readonly testCase: TestCase;
  readonly isOnly: boolean;
  readonly runner: Runner;
  readonly refusal: string | null;
  readonly dispatch: (action: WorkspaceAction) => void;
  readonly onRun: () => void;
  readonly children?: ReactNode;
}

/** A case's card, with what is done when something in it is pressed. */
export function CaseSlot(props: CaseSlotProps) {
  const { route, testCase, isOnly, runner, refusal, dispatch, onRun, children } = props;
  const { id, draft } = testCase;
  const parsed = parseDraft(route.inputs, draft);
  const runs = [...runner.runs].flatMap(([key, run]) => (key.endsWith(`:${id}`) ? [run] : []));
  const problems = useSameJson(
    parsed.kind === "inputs"
      ? inputProblems(runs, parsed.inputs)
      : runner.tried.has(id)
        ? parsed.problems
        : typedProblems(route.inputs, draft),
  );
  const type = useCallback(
    (typed: InputDraft) => dispatch({ kind: "type", case: id, draft: typed }),
    [dispatch, id],
  );
  return (
    <CaseCard
      testCase={testCase}
      schema={route.inputs}
      problems={problems}
      isOnly={isOnly}
      refusal={refusal}
      onType={type}
      onRename={(name) => dispatch({ kind: "rename", case: id, name })}
      onCopy={() => dispatch({ kind: "copy-case", case: id })}
      onRemove={() => {
        focusBeside("data-case", id);
        dispatch({ kind: "remove-case", case: id });
      }}
      onRun={onRun}
    >
      {children}
    </CaseCard>
  );
}

/** A value that is made anew with each drawing: the very same for as long as nothing in it changes. */
function useSameJson<Value>(value: Value): Value {
  const [kept, setKept] = useState(value);
  if (kept === value || isSameJson(kept, value)) return kept;
  setKept(value);
  return value;
}
