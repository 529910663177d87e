import { fitRun, type PackedRun, sizeOf } from "./packed-run.ts";

/** How much is saved, in characters of JSON. */
export interface KeptLimits {
  readonly run: number;
  /** The runs of one route with one set of columns and cases. */
  readonly board: number;
  readonly boardsOfRoute: number;
  /** Everything together. */
  readonly total: number;
}

const MEBI = 1024 * 1024;

export const KEPT_LIMITS: KeptLimits = {
  run: 4 * MEBI,
  board: 16 * MEBI,
  boardsOfRoute: 8,
  total: 64 * MEBI,
};

/** A run with the places of its column and case, from 0. */
export interface KeptCell {
  readonly column: number;
  readonly testCase: number;
  readonly run: PackedRun;
}

/** Drops the traces and outputs of the last runs until the board fits the limits. */
export function fitBoard(cells: readonly KeptCell[], limits: KeptLimits): readonly KeptCell[] {
  let left = limits.board;
  return cells.flatMap((cell) => {
    const run = fitRun(cell.run, Math.min(limits.run, left));
    if (run === null) return [];
    left -= sizeOf(run);
    return [{ ...cell, run }];
  });
}

export interface BoardEntry {
  readonly id: string;
  readonly place: string;
  readonly savedAt: number;
  readonly size: number;
}

/** The ids of the oldest boards beyond the limits, to delete after saving one. */
export function boardsToDelete(
  boards: readonly BoardEntry[],
  saved: string,
  limits: KeptLimits,
): readonly string[] {
  const ofRoute = new Map<string, number>();
  let total = 0;
  // Never the one that was just saved, even if a clock that was set back makes it the oldest.
  const rank = ({ id, savedAt }: BoardEntry) => (id === saved ? Number.POSITIVE_INFINITY : savedAt);
  return [...boards]
    .sort((a, b) => rank(b) - rank(a))
    .filter(({ id, place, size }) => {
      const before = ofRoute.get(place) ?? 0;
      const isKept = before < limits.boardsOfRoute && total + size <= limits.total;
      if (isKept || id === saved) {
        ofRoute.set(place, before + 1);
        total += size;
        return false;
      }
      return true;
    })
    .map(({ id }) => id);
}
