import { isSameJson } from "@agate/protocol";
import type { ColumnView } from "../columns/column-view.ts";
import type { TestCase } from "../state/workspace.ts";
import type { RunBoard } from "./run-board.ts";
import { runKey } from "./run-board.ts";
import { RunOutput } from "./run-output.tsx";
import { useRun } from "./use-run.ts";

interface RunCellProps {
  readonly app: string;
  readonly board: RunBoard;
  readonly view: ColumnView;
  readonly testCase: TestCase;
  /** What the case's inputs are now; undefined where they are not finished. */
  readonly inputs: unknown;
  /** The column that the others are compared with; null where this is it. */
  readonly firstColumn: number | null;
  /** Its place among others, from 1; null where it is the only one. */
  readonly place: number | null;
  readonly showsDifferences: boolean;
}

/** A column on a case: the last run. */
export function RunCell(props: RunCellProps) {
  const { app, board, view, testCase, inputs, firstColumn, place, showsDifferences } = props;
  const { id } = view.column;
  const run = useRun(board, id, testCase.id);
  const first = useRun(board, firstColumn ?? id, testCase.id);
  const isCurrent =
    run !== undefined &&
    view.kind === "ready" &&
    isSameJson(run.request.config, view.values) &&
    isSameJson(run.request.inputs, inputs);
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
}
