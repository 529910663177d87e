import type { RunReport } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { placeLine, type ScorePoint, scoreLines } from "./score-lines.ts";

function report(id: string, means: Record<string, number | null>): RunReport {
  const scores = Object.entries(means).map(([score, mean]) => ({
    score,
    columns: [{ column: "new", mean, ok: 1, skipped: 0, failed: 0 }],
    comparison: null,
  }));
  return { id, started_at: `2026-11-0${id}`, figures: { columns: [], scores } } as never;
}

describe("scores over runs", () => {
  it("go from the oldest to the newest, and have a gap where there is no value", () => {
    const lines = scoreLines([
      report("3", { right: 0.5 }),
      report("2", { right: null }),
      report("1", { right: 0, once: 1 }),
    ]);
    expect(lines.map(({ score, points }) => [score, points.map(({ mean }) => mean)])).toEqual([
      ["right", [0, null, 0.5]],
    ]);
  });

  it("are drawn from the bottom at 0 to the top at 1, in parts between the gaps", () => {
    const points = [0, 1, null, 0.5].map(
      (mean, index): ScorePoint => ({ run: `${index}`, startedAt: "", mean }),
    );
    const placed = placeLine(points, { width: 40, height: 30, margin: 5 });
    expect(placed.map((part) => part.map(({ x, y }) => [x, y]))).toEqual([
      [
        [5, 25],
        [15, 5],
      ],
      [[35, 15]],
    ]);
  });
});
