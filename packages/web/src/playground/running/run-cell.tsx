import type { RouteSchema } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { memo, useMemo, useSyncExternalStore } from "react";
import { parseDraft } from "../../input-form/input-draft.ts";
import type { ColumnView } from "../columns/column-view.ts";
import type { TestCase } from "../state/workspace.ts";
import type { Run } from "./run.ts";
import type { RunBoard } from "./run-board.ts";
import { runKey } from "./run-board.ts";
import { RunOutput } from "./run-output.tsx";

interface RunCellProps {
  readonly app: string;
  readonly board: RunBoard;
  readonly view: ColumnView;
  readonly testCase: TestCase;
  readonly schema: RouteSchema["inputs"];
  /** The column that the others are compared with; null for that column itself. */
  readonly firstColumn: number | null;
  /** Its place among the columns, from 1; null for the only one. */
  readonly place: number | null;
  readonly showsDifferences: boolean;
}

/** The last run of a column on a case. Memoised, because there may be hundreds of cells. */
export const RunCell = memo(function RunCell(props: RunCellProps) {
  const { app, board, view, testCase, schema, firstColumn, place, showsDifferences } = props;
  const { id } = view.column;
  const run = useRun(board, id, testCase.id);
  const first = useRun(board, firstColumn ?? id, testCase.id);
  const parsed = useMemo(() => parseDraft(schema, testCase.draft), [schema, testCase.draft]);
  const isCurrent =
    run !== undefined &&
    view.kind === "ready" &&
    parsed.kind === "inputs" &&
    isSameJson(run.request.config, view.values) &&
    isSameJson(run.request.inputs, parsed.inputs);
  return (
    <RunOutput
      app={app}
      name={place === null ? testCase.name : `${testCase.name}, column ${place}`}
      column={place === null ? null : { place, title: view.title }}
      run={run}
      first={firstColumn === null ? undefined : first}
      showsDifferences={showsDifferences}
      isCurrent={isCurrent}
      isTraceOpen={place === null}
      onStop={() => board.stop(runKey(id, testCase.id))}
    />
  );
});

function useRun(board: RunBoard, column: number, testCase: number): Run | undefined {
  const key = runKey(column, testCase);
  return useSyncExternalStore(board.subscribe, () => board.runs().get(key));
}
