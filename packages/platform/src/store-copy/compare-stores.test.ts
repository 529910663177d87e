import { expect, it } from "vitest";
import { compareCounts, hasMore, lacks } from "./compare-stores.ts";

const count = (project: string, traces: number, spans: number) => ({ project, traces, spans });

it("tells projects of which the target has less from those of which it has more", () => {
  const counts = compareCounts(
    [count("same", 1, 2), count("less", 2, 2000), count("more", 1, 1), count("both", 2, 2)],
    [
      count("same", 1, 2),
      count("less", 1, 1),
      count("more", 1, 2),
      count("both", 3, 1),
      count("new", 1, 1),
    ],
  );
  const names = (comparisons: typeof counts) => comparisons.map(({ project }) => project);
  expect(names(counts)).toEqual(["both", "less", "more", "new", "same"]);
  expect(names(counts.filter(lacks))).toEqual(["both", "less"]);
  expect(names(counts.filter(hasMore))).toEqual(["more", "new"]);
});
