import type { RouteSchema } from "@agate/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { ApiError } from "../../api/api-error.ts";
import { schemaQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { checkConfig, focusFirstProblem } from "../../config-form/field-problem.ts";
import { parseDraft } from "../../input-form/input-draft.ts";
import { type ColumnView, isReady, type ReadyColumn } from "../columns/column-view.ts";
import type { TestCase } from "../state/workspace.ts";
import { callRoute, playgroundPath } from "./call-route.ts";
import type { RunRequest } from "./run.ts";
import { isUnderWay, type Run } from "./run.ts";
import { RunBoard, runKey } from "./run-board.ts";

/** Runs columns on test cases and holds their runs. */
export interface Runner {
  readonly board: RunBoard;
  /** All runs, as of the last one that started or ended. */
  readonly runs: ReadonlyMap<string, Run>;
  readonly isUnderWay: boolean;
  /** Cases that the user tried to run: their missing inputs are marked. */
  readonly tried: ReadonlySet<number>;
  /** Around all forms: the first invalid field in it gets the focus when a run cannot start. */
  readonly forms: React.RefObject<HTMLDivElement | null>;
  /** False if a field is invalid: it gets the focus. */
  run(columns: readonly ColumnView[], cases: readonly TestCase[]): boolean;
  /** Focuses the first invalid field. */
  showProblems(): void;
}

export function useRunner(app: string, environment: string | null, route: RouteSchema): Runner {
  const board = useRunBoard(app, environment, route.route);
  const runs = useSyncExternalStore(board.subscribe, board.milestones);
  const forms = useRef<HTMLDivElement>(null);
  const [tried, setTried] = useState<ReadonlySet<number>>(new Set());
  const [attempts, setAttempts] = useState(0);
  // An effect, so that the problems are drawn and their forms expanded.
  useEffect(() => {
    if (attempts > 0) focusFirstProblem(forms.current);
  }, [attempts]);
  const showProblems = () => setAttempts((count) => count + 1);
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

/** The runs of a route. Unmounting stops them. */
function useRunBoard(
  app: string,
  environment: string | null,
  route: RouteSchema["route"],
): RunBoard {
  const client = usePlatform();
  const queries = useQueryClient();
  // Outputs stay when another environment is chosen: only later calls go there.
  const called = useRef(environment);
  called.current = environment;
  const [board] = useState(
    () =>
      new RunBoard(async function* (request, signal) {
        const where = called.current;
        try {
          yield* callRoute(client, playgroundPath(app, where, route), request, signal);
        } catch (error) {
          // The workflow may have been reloaded with another schema.
          if (error instanceof ApiError && error.status === 422) {
            void queries.invalidateQueries({ queryKey: schemaQuery(client, app, where).queryKey });
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

/** The runs that can start, and what keeps the others from starting. */
interface RunPlan {
  readonly runs: readonly PlannedRun[];
  /** Columns with an invalid configuration. */
  readonly columns: readonly number[];
  /** Cases with invalid or missing inputs. */
  readonly cases: readonly number[];
}

/** Runs each column on each case. */
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

/** A draft without changes counts as its base. */
function variantOf({ base, changed }: ReadyColumn): string | null {
  if (base === null || base.revision === 0) return null;
  return `${base.variant}@${base.revision}${changed.length > 0 ? "; edited" : ""}`;
}
