import type { RunReport } from "@agate/protocol";

/** A score's mean in one run. */
export interface ScorePoint {
  readonly run: string;
  readonly startedAt: string;
  /** Null where the run has no value of it. */
  readonly mean: number | null;
}

export interface ScoreLine {
  readonly score: string;
  /** From the oldest run to the newest. */
  readonly points: readonly ScorePoint[];
}

/** The candidate's means over runs, by score; those that fewer than two runs have a value of are left out. */
export function scoreLines(reports: readonly RunReport[]): readonly ScoreLine[] {
  const runs = reports.toSorted((one, other) => one.started_at.localeCompare(other.started_at));
  const names = new Set(runs.flatMap(({ figures }) => figures.scores.map(({ score }) => score)));
  return [...names]
    .map((score) => ({
      score,
      points: runs.map((run) => ({
        run: run.id,
        startedAt: run.started_at,
        mean: run.figures.scores.find((each) => each.score === score)?.columns[0]?.mean ?? null,
      })),
    }))
    .filter(({ points }) => points.filter(({ mean }) => mean !== null).length > 1);
}

/** The box that a line is drawn in; values are from 0, at the bottom, to 1. */
export interface LineBox {
  readonly width: number;
  readonly height: number;
  /** Around the line, so that its points are not cut off. */
  readonly margin: number;
}

/** Where a value is drawn. */
export interface PlacedPoint {
  readonly point: ScorePoint;
  readonly x: number;
  readonly y: number;
}

/** The points of a line that have a value, in runs of neighbours: a gap stays a gap. */
export function placeLine(
  points: readonly ScorePoint[],
  { width, height, margin }: LineBox,
): readonly (readonly PlacedPoint[])[] {
  const step = (width - 2 * margin) / Math.max(1, points.length - 1);
  const parts: PlacedPoint[][] = [];
  let part: PlacedPoint[] = [];
  for (const [index, point] of points.entries()) {
    if (point.mean === null) {
      part = [];
      continue;
    }
    if (part.length === 0) parts.push(part);
    const y = margin + (1 - point.mean) * (height - 2 * margin);
    part.push({ point, x: margin + index * step, y });
  }
  return parts;
}
