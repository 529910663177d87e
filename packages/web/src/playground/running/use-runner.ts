import type { RouteSchema } from "@agate/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { ApiError } from "../../api/api-error.ts";
import { schemaQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { checkConfig, focusFirstProblem } from "../../config-form/field-problem.ts";
import { parseDraft } from "../../input-form/input-draft.ts";
import type { ColumnView, ReadyColumn } from "../columns/column-view.ts";
import type { TestCase } from "../state/workspace.ts";
import { callRoute, playgroundPath } from "./call-route.ts";
import type { RunRequest } from "./run.ts";
import { isUnderWay, type Run } from "./run.ts";
import { RunBoard, runKey } from "./run-board.ts";

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

/** The runs of a route. They are stopped when the reader leaves. */
function useRunBoard(app: string, route: RouteSchema["route"]): RunBoard {
  const client = usePlatform();
  const queries = useQueryClient();
  const [board] = useState(
    () =>
      new RunBoard(async function* (request, signal) {
        try {
          yield* callRoute(client, playgroundPath(app, route), request, signal);
        } catch (error) {
          // The code may have been saved, and take other values now.
          if (error instanceof ApiError && error.status === 422) {
            void queries.invalidateQueries({ queryKey: schemaQuery(client, app).queryKey });
          }
          throw error;
        }
      }),
  );
  useEffect(() => () => board.stopAll(), [board]);
  return board;
}

interface PlannedRun {
  readonly key: string;
  readonly request: RunRequest;
}

/** What can be run now, and what has to be mended before the rest can. */
interface RunPlan {
  readonly runs: readonly PlannedRun[];
  /** Columns whose configuration the workflow would refuse. */
  readonly columns: readonly number[];
  /** Cases whose inputs are not finished. */
  readonly cases: readonly number[];
}

/** Each of these columns on each of these cases. */
function planRuns(
  route: RouteSchema,
  columns: readonly ReadyColumn[],
  cases: readonly TestCase[],
): RunPlan {
  const isFine = ({ values }: ReadyColumn) => checkConfig(route, values).length === 0;
  const parsed = cases.map(({ id, draft }) => ({ id, ...parseDraft(route.inputs, draft) }));
  return {
    runs: parsed.flatMap((each) =>
      each.kind === "invalid"
        ? []
        : columns.filter(isFine).map((column) => ({
            key: runKey(column.column.id, each.id),
            request: {
              config: column.values,
              inputs: each.inputs,
              variant: variantOf(column),
            },
          })),
    ),
    columns: columns.filter((column) => !isFine(column)).map(({ column }) => column.id),
    cases: parsed.filter(({ kind }) => kind === "invalid").map(({ id }) => id),
  };
}

/** A draft without changes is still what it was made from. */
function variantOf({ base, changed }: ReadyColumn): string | null {
  if (base === null || base.revision === 0) return null;
  return `${base.variant}@${base.revision}${changed.length > 0 ? "; edited" : ""}`;
}
