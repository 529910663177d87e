import { expect, it } from "vitest";
import { differenceLines, moreLines } from "./migration-view.ts";

const count = (traces: number, spans: number) => ({ traces, spans });
const project = (name: string, from: object, to: object) =>
  ({ project: name, from, to }) as Parameters<typeof moreLines>[0]["counts"][number];

type Comparisons = Parameters<typeof moreLines>[0]["counts"];

function finished(
  { lacking = [], exceeding = [] }: { lacking?: Comparisons; exceeding?: Comparisons },
  differing: readonly string[] = [],
  lost: readonly string[] = [],
) {
  const counts = [...lacking, ...exceeding];
  const missing = lost.map((traceId) => ({ project: "a", traceId }));
  const trees = {
    compared: 20,
    differing: differing.map((traceId) => ({ project: "a\u001b[2J", traceId })),
  };
  return { kind: "finished", copied: 1, counts, lacking, exceeding, missing, trees } as const;
}

it("has nothing to say of equal stores", () => {
  const outcome = finished({});
  expect(differenceLines(outcome)).toEqual([]);
  expect(moreLines(outcome)).toEqual([]);
});

it("tells what is missing from what is there besides", () => {
  const outcome = finished({
    lacking: [
      project("less", count(2, 2000), count(1, 1)),
      project("both", count(2, 2), count(3, 1)),
    ],
    exceeding: [
      project("more", count(1, 1), count(1, 2)),
      project("new", count(0, 0), count(1, 1)),
    ],
  });
  expect(differenceLines(outcome)).toEqual([
    "  project less has 2,000 spans in 2 traces in the first and 1 span in 1 trace in the second",
    "  project both has 2 spans in 2 traces in the first and 1 span in 3 traces in the second",
  ]);
  expect(moreLines(outcome)).toEqual([
    "The second store holds more: project more has 1 span in 1 trace in the first and 2 spans in 1 trace in the second.",
    "The second store holds more: project new has 0 spans in 0 traces in the first and 1 span in 1 trace in the second.",
  ]);
});

it("names ten traces that differ, and counts the others", () => {
  const ids = Array.from({ length: 12 }, (_, n) => `trace-${n}`);
  const lines = differenceLines(finished({}, ids));
  expect(lines).toHaveLength(12);
  expect(lines[0]).toBe("  12 of 20 compared traces differ:");
  expect(lines[1]).toBe("    trace-0 of project a");
  expect(lines.at(-1)).toBe("    and 2 more: --json names them all");
});

it("names traces that are missing, the first ten of many", () => {
  const names = Array.from({ length: 12 }, (_, n) => `trace-${n}`);
  const lines = differenceLines(finished({}, [], names));
  expect(lines[0]).toBe("  12 traces missing or incomplete in the second:");
  expect(lines).toHaveLength(12);
  expect(lines.at(-1)).toBe("    and 2 more: --json names them all");
});
