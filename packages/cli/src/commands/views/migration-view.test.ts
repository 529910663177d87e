import { expect, it } from "vitest";
import { plainPaint } from "../../terminal/plain-paint.fixture.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { differenceLines, moreLines, showMigration } from "./migration-view.ts";

const count = (traces: number, spans: number, scores = 0) => ({ traces, spans, scores });
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
  return {
    kind: "finished",
    copied: 1,
    copiedScores: 0,
    counts,
    lacking,
    exceeding,
    missing,
    trees,
  } as const;
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
      project("judged", count(1, 1, 2), count(1, 1, 1)),
    ],
    exceeding: [
      project("more", count(1, 1), count(1, 2)),
      project("new", count(0, 0), count(1, 1)),
    ],
  });
  expect(differenceLines(outcome)).toEqual([
    "  project less has 2,000 spans in 2 traces in the first and 1 span in 1 trace in the second",
    "  project both has 2 spans in 2 traces in the first and 1 span in 3 traces in the second",
    "  project judged has 1 span in 1 trace and 2 scores in the first and 1 span in 1 trace and 1 score in the second",
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

/** What is shown of a migration, from its beginning to its end. */
function shown(canAnimate: boolean, end: "finished" | "broken"): string[] {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  const terminal: Terminal = {
    columns: undefined,
    canAsk: false,
    canAnimate,
    paint: plainPaint,
    paintNote: plainPaint,
    unread: new AbortController().signal,
    write: async () => {},
    print: () => {},
    note: (line) => write(`${line}\n`),
    writeNote: write,
  };
  {
    using migration = showMigration(terminal);
    if (end === "finished") {
      migration.copied(0, 400);
      migration.waiting("db: The database is away.");
      migration.copied(400, 400);
      migration.compared(8, 20);
      migration.compared(20, 20);
      migration.finished();
    }
  }
  return text
    .replaceAll("\r\u001b[2K", "\n")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "…").replaceAll(/ +\d[\d.]* [mµ]?s\b/g, " TIME"));
}

const BAR = "████████████████████ 100%";

it("is a line for each step in a pipe, and none for a store that cannot be opened", () => {
  expect(shown(false, "finished")).toEqual([
    `✓ copy TIME  ${BAR} 400 of 400 spans`,
    `✓ compare TIME  ${BAR} 20 of 20 traces`,
  ]);
  expect(shown(false, "broken")).toEqual([]);
});

it("shows in a terminal that it is opening the stores", () => {
  expect(shown(true, "broken")).toEqual(["… open TIME", "✗ open TIME"]);
  expect(shown(true, "finished").filter((line) => line.startsWith("✓"))).toEqual([
    "✓ open TIME",
    `✓ copy TIME  ${BAR} 400 of 400 spans`,
    `✓ compare TIME  ${BAR} 20 of 20 traces`,
  ]);
});
