import { useSyncExternalStore } from "react";
import type { Run } from "./run.ts";
import { type RunBoard, runKey } from "./run-board.ts";

/** The last run of a column on a case, as it goes on. */
export function useRun(board: RunBoard, column: number, testCase: number): Run | undefined {
  const key = runKey(column, testCase);
  return useSyncExternalStore(board.subscribe, () => board.runs().get(key));
}
