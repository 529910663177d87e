import fc from "fast-check";
import { expect, test } from "vitest";
import { type BoardEntry, boardsToDelete, fitBoard, type KeptCell } from "./kept-limits.ts";
import { sizeOf } from "./packed-run.ts";

const LIMITS = { run: 20, board: 50, boardsOfRoute: 2, total: 100 };

const cell = (head: number, output: number, trace: number): KeptCell => ({
  column: 0,
  testCase: 0,
  run: {
    head: "h".repeat(head),
    output: "o".repeat(output),
    trace: "t".repeat(trace),
    leftOut: null,
  },
});

test("Neither a run nor a board is longer than it may be, and what fits is whole", () => {
  const part = fc.integer({ min: 0, max: 15 });
  fc.assert(
    fc.property(fc.array(fc.tuple(part, part, part)), (sizes) => {
      const cells = sizes.map(([head, output, trace]) => cell(head, output, trace));
      const kept = fitBoard(cells, LIMITS);
      const lengths = kept.map(({ run }) => sizeOf(run));
      expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(LIMITS.run);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(LIMITS.board);
      const first = cells[0];
      if (first && sizeOf(first.run) <= LIMITS.run) expect(kept[0]).toEqual(first);
    }),
  );
});

test.each([
  [20, 0],
  [21, 1],
])("Runs of %d characters: %d of them lose their trace", (length, lost) => {
  const kept = fitBoard([cell(5, 5, length - 10)], LIMITS);
  expect(kept.filter(({ run }) => run.trace === null)).toHaveLength(lost);
});

const board = (id: string, savedAt: number, size = 1, place = "a"): BoardEntry => ({
  id,
  place,
  savedAt,
  size,
});

test("The oldest boards of a route go first, others stay", () => {
  const boards = [board("old", 1), board("new", 3), board("middle", 2), board("other", 0, 1, "b")];
  expect(boardsToDelete(boards, "new", LIMITS)).toEqual(["old"]);
  expect(boardsToDelete(boards.slice(1), "new", LIMITS)).toEqual([]);
});

test("What is just saved stays, even by a clock that was set back and beyond the total", () => {
  const boards = [board("saved", 0, 101), board("b", 5, 1, "b")];
  expect(boardsToDelete(boards, "saved", LIMITS)).toEqual(["b"]);
});

test("What stays is within all limits, but for what is just saved", () => {
  const entry = fc.record({
    savedAt: fc.nat(9),
    size: fc.integer({ min: 1, max: 60 }),
    place: fc.constantFrom("a", "b"),
  });
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1 }), (entries) => {
      const boards = entries.map((each, index) => ({ ...each, id: String(index) }));
      const gone = boardsToDelete(boards, "0", LIMITS);
      expect(gone).not.toContain("0");
      const left = boards.filter(({ id }) => !gone.includes(id));
      expect(left.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(LIMITS.total);
      for (const [, here] of Map.groupBy(left, ({ place }) => place)) {
        expect(here.length).toBeLessThanOrEqual(LIMITS.boardsOfRoute);
      }
    }),
  );
});
