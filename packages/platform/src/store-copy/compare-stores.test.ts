import { expect, it } from "vitest";
import { compareCounts, hasMore, lacks } from "./compare-stores.ts";

const count = (project: string, traces: number, spans: number) => ({ project, traces, spans });

it("tells projects of which the target has less from those of which it has more", () => {
  const from = {
    spans: [
      count("same", 1, 2),
      count("less", 2, 2000),
      count("more", 1, 1),
      count("both", 2, 2),
      count("unjudged", 1, 1),
      count("judged", 1, 1),
    ],
    scores: new Map([
      ["unjudged", 2],
      ["judged", 2],
      ["orphans", 1],
    ]),
  };
  const to = {
    spans: [
      count("same", 1, 2),
      count("less", 1, 1),
      count("more", 1, 2),
      count("both", 3, 1),
      count("new", 1, 1),
      count("unjudged", 2, 2),
      count("judged", 1, 1),
    ],
    scores: new Map([
      ["unjudged", 1],
      ["judged", 3],
    ]),
  };
  const counts = compareCounts(from, to);
  const names = (comparisons: typeof counts) => comparisons.map(({ project }) => project);
  expect(names(counts)).toEqual([
    "both",
    "judged",
    "less",
    "more",
    "new",
    "orphans",
    "same",
    "unjudged",
  ]);
  expect(names(counts.filter(lacks))).toEqual(["both", "less", "orphans", "unjudged"]);
  expect(names(counts.filter(hasMore))).toEqual(["judged", "more", "new"]);
});
