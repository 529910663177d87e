import { useEffect, useRef } from "react";
import type { Run } from "../running/run.ts";
import { type RunBoard, runKey } from "../running/run-board.ts";
import type { Workspace } from "../state/workspace.ts";
import { workspaceText } from "../state/workspace.ts";
import type { KeptCell } from "./kept-limits.ts";
import { useKeptRuns } from "./kept-runs.ts";
import { type PackedRun, packRun, unpackRun } from "./packed-run.ts";

/** How often a streaming run is saved; a finished one is saved at once. */
const SAVE_STREAM_MS = 1000;

/**
 * Restores the saved outputs of a workspace and saves new ones, so that they survive a reload and other
 * pages.
 *
 * @param place Identifies the project, the application and the route.
 */
export function useKeptBoard(board: RunBoard, place: string, workspace: Workspace): void {
  const kept = useKeptRuns();
  const shown = useRef(workspace);
  const onEdit = useRef(() => {});
  useEffect(() => {
    shown.current = workspace;
    onEdit.current();
  }, [workspace]);
  useEffect(() => {
    const own = kept.open(place);
    const packed = new WeakMap<Run, PackedRun | null>();
    let [isLoaded, seen] = [false, board.milestones()];
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** The runs and the workspace that the database has. */
    let saved: unknown[] = [];

    const save = async () => {
      clearTimeout(timer);
      timer = undefined;
      const [runs, workspace] = [board.runs(), shown.current];
      // Saving an empty board before the saved one is loaded would delete it.
      if (!isLoaded && runs.size === 0) return;
      const isSaved = await own.save(workspaceText(workspace), cellsOf(workspace, runs, packed));
      if (isSaved) saved = [runs, workspace];
    };
    const leave = () => {
      const [runs, workspace] = [board.runs(), shown.current];
      if (runs.size === 0 || (saved[0] === runs && saved[1] === workspace)) return;
      own.leave(workspaceText(workspace), cellsOf(workspace, runs, packed));
      void save();
    };
    const saveWithin = (ms: number) => {
      if (ms === 0) clearTimeout(timer);
      else if (timer !== undefined) return;
      timer = setTimeout(save, ms);
    };
    const stopListening = board.subscribe(() => {
      saveWithin(board.milestones() === seen ? SAVE_STREAM_MS : 0);
      seen = board.milestones();
    });
    onEdit.current = () => saveWithin(SAVE_STREAM_MS);
    window.addEventListener("pagehide", leave);
    void own.load(workspaceText(shown.current)).then((cells) => {
      if (cells === undefined) return;
      board.restore(runsOf(shown.current, cells));
      isLoaded = true;
    });
    return () => {
      stopListening();
      onEdit.current = () => {};
      window.removeEventListener("pagehide", leave);
      void save();
    };
  }, [kept, board, place]);
}

function cellsOf(
  { columns, cases }: Workspace,
  runs: ReadonlyMap<string, Run>,
  packed: WeakMap<Run, PackedRun | null>,
): readonly KeptCell[] {
  return columns.flatMap(({ id: columnId }, column) =>
    cases.flatMap(({ id: caseId }, testCase): KeptCell[] => {
      const run = runs.get(runKey(columnId, caseId));
      if (run === undefined) return [];
      // Runs are immutable, so each is serialised once.
      const known = packed.get(run);
      const text = known === undefined ? packRun(run) : known;
      packed.set(run, text);
      return text === null ? [] : [{ column, testCase, run: text }];
    }),
  );
}

function runsOf(
  { columns, cases }: Workspace,
  cells: readonly KeptCell[],
): ReadonlyMap<string, Run> {
  return new Map(
    cells.flatMap((cell) => {
      const column = columns[cell.column];
      const testCase = cases[cell.testCase];
      const run = unpackRun(cell.run);
      if (column === undefined || testCase === undefined || run === null) return [];
      return [[runKey(column.id, testCase.id), run]];
    }),
  );
}
