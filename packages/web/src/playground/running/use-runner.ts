import type { RouteSchema } from "@agate/protocol";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { focusFirstProblem } from "../../config-form/focus-first-problem.ts";
import type { ColumnView, ReadyColumn } from "../columns/column-view.ts";
import type { TestCase } from "../state/workspace.ts";
import { planRuns } from "./plan-runs.ts";
import { isUnderWay, type Run } from "./run.ts";
import type { RunBoard } from "./run-board.ts";
import { useRunBoard } from "./use-run-board.ts";

/** Runs columns on cases, and keeps what came out. */
export interface Runner {
  readonly board: RunBoard;
  /** All runs, as of the last that began or ended. */
  readonly runs: ReadonlyMap<string, Run>;
  readonly isUnderWay: boolean;
  /** Cases whose inputs somebody has tried to send: what is missing in them is marked. */
  readonly tried: ReadonlySet<number>;
  /** Around all forms: the first problem in it gets the focus when a run is refused. */
  readonly forms: React.RefObject<HTMLDivElement | null>;
  /** False where something has to be mended first: the reader is brought there. */
  run(columns: readonly ColumnView[], cases: readonly TestCase[]): boolean;
  /** Brings the reader to the first problem of a form. */
  showProblems(): void;
}

export function useRunner(app: string, route: RouteSchema): Runner {
  const board = useRunBoard(app, route.route);
  const runs = useSyncExternalStore(board.subscribe, board.milestones);
  const forms = useRef<HTMLDivElement>(null);
  const [tried, setTried] = useState<ReadonlySet<number>>(new Set());
  const [refusals, setRefusals] = useState(0);
  // After the problems are drawn, and the forms that they are in are unfolded.
  useEffect(() => {
    if (refusals > 0) focusFirstProblem(forms.current);
  }, [refusals]);
  const showProblems = () => setRefusals((count) => count + 1);
  return {
    board,
    runs,
    isUnderWay: [...runs.values()].some(isUnderWay),
    tried,
    forms,
    run(columns, cases) {
      const plan = planRuns(route, columns.filter(isReady), cases);
      for (const { key, request } of plan.runs) board.start(key, request);
      if (plan.columns.length + plan.cases.length === 0) return true;
      setTried((before) => new Set([...before, ...plan.cases]));
      showProblems();
      return false;
    },
    showProblems,
  };
}

function isReady(view: ColumnView): view is ReadyColumn {
  return view.kind === "ready";
}
