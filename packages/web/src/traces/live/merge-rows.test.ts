import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRows, type TraceRow } from "../../api/trace-row.ts";
import type { TracePage } from "../../api/traces.ts";
import {
  countNew,
  flattenRows,
  holdRows,
  leavesGap,
  mergeRows,
  nothingHeld,
  rowsSince,
  splitChanges,
  withoutRemoved,
  withoutTrace,
} from "./merge-rows.ts";
import { rowOf } from "./trace-row.fixture.ts";

const SIZE = 4;

/** A trace of few ids and few times, so that ids and times often coincide. */
const aRow = fc
  .record({ id: fc.integer({ min: 0, max: 15 }), second: fc.integer({ min: 10, max: 20 }) })
  .map(({ id, second }) =>
    rowOf({ traceId: `trace-${id}`, startedAt: `2026-11-15T10:00:${second}.000000Z` }),
  );
const rows = fc.uniqueArray(aRow, { selector: ({ key }) => key, maxLength: 14 });
const changes = fc.array(aRow, { maxLength: 8 });

/** The first pages of the platform's list. */
function pagesOf(all: readonly TraceRow[], count: number): readonly TracePage[] {
  const sorted = all.toSorted(compareRows);
  const pages: TracePage[] = [];
  for (let n = 0; n < count; n++) {
    const page = sorted.slice(n * SIZE, (n + 1) * SIZE);
    const last = page.at(-1);
    const isLast = last === undefined || sorted.length <= (n + 1) * SIZE;
    const next = isLast ? null : { cursor: "", after: last, from: undefined, to: undefined };
    pages.push({ rows: page, next });
    if (isLast) break;
  }
  return pages;
}

/** What the platform has after the changes. */
function afterwards(all: readonly TraceRow[], changed: readonly TraceRow[]): TraceRow[] {
  const byKey = new Map([...all, ...changed].map((row) => [row.key, row]));
  return [...byKey.values()].sort(compareRows);
}

describe("merging new rows into loaded pages", () => {
  it("gives the list of the platform down to the last loaded row", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 4 }), changes, (all, count, changed) => {
        const pages = pagesOf(all, count);
        const end = pages.at(-1)?.next?.after;
        const expected = afterwards(all, changed).filter(
          (row) => end === undefined || compareRows(row, end) <= 0,
        );
        expect(flattenRows(mergeRows(pages, changed))).toEqual(expected);
      }),
    );
  });

  it("keeps unchanged pages as the same objects", () => {
    const pages = pagesOf(
      Array.from({ length: 10 }, (_, n) => rowOf({ traceId: `t${n}` })),
      3,
    );
    const newest = rowOf({ traceId: "new", startedAt: "2026-11-15T11:00:00.000000Z" });
    const [first, ...others] = mergeRows(pages, [newest]);
    expect(first?.rows.map(({ traceId }) => traceId)).toEqual(["new", "t9", "t8", "t7", "t6"]);
    expect(others.map((page, n) => page === pages[n + 1])).toEqual([true, true]);
  });
});

describe("splitting changes in place from those that move rows", () => {
  it("moves no row by a change in place, and loses no change", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 4 }), changes, (all, count, changed) => {
        const pages = pagesOf(all, count);
        const latest = [...new Map(changed.map((each) => [each.key, each])).values()];
        const { inPlace, moving } = splitChanges(pages, latest);
        const shown = mergeRows(pages, inPlace);
        expect(flattenRows(shown).map(({ key }) => key)).toEqual(
          flattenRows(pages).map(({ key }) => key),
        );
        expect(flattenRows(mergeRows(shown, moving))).toEqual(
          flattenRows(mergeRows(pages, latest)),
        );
      }),
    );
  });

  it("ignores rows after the last loaded one", () => {
    const pages = pagesOf(
      Array.from({ length: 5 }, (_, n) => rowOf({ traceId: `t${n}` })),
      1,
    );
    const old = rowOf({ traceId: "old", startedAt: "2026-11-14T10:00:00.000000Z" });
    expect(splitChanges(pages, [old])).toEqual({ inPlace: [], moving: [] });
  });
});

it("lists a trace once that moved to a later page between two reads", () => {
  const moved = rowOf({ traceId: "moved", startedAt: "2026-11-15T09:00:00.000000Z" });
  const before = rowOf({ traceId: "moved", startedAt: "2026-11-15T10:00:00.000000Z" });
  expect(
    flattenRows([
      { rows: [before], next: null },
      { rows: [moved], next: null },
    ]),
  ).toEqual([before]);
});

it("does not bring back a trace deleted during a read", () => {
  const [kept, deleted, fresh] = ["kept", "deleted", "fresh"].map((traceId) => rowOf({ traceId }));
  if (!kept || !deleted || !fresh) throw new Error("There are three.");
  const whenAsked = pagesOf([kept, deleted], 1);
  const now = withoutTrace(whenAsked, "deleted");
  expect(withoutRemoved([fresh, kept, deleted], whenAsked, now)).toEqual([fresh, kept]);
});

const ROWS = ["12:02:00.000000", "12:01:00.000400", "12:00:00.000000"].map((time) =>
  rowOf({ startedAt: `2026-11-15T${time}Z` }),
);

it.each([
  [undefined, 3],
  ["2026-11-15T12:00:00.000Z", 3],
  ["2026-11-15T12:00:00.001Z", 2],
  // The platform's times are finer than a browser's.
  ["2026-11-15T12:01:00.000Z", 2],
  ["2026-11-15T13:01:00.000+01:00", 2],
  ["2026-11-15T12:02:00.001Z", 0],
  ["nonsense", 3],
])("a list since %s keeps %i rows", (from, count) => {
  expect(rowsSince(ROWS, from)).toEqual(ROWS.slice(0, count));
});

it("returns the same array where no row is too old, so that nothing renders again", () => {
  expect(rowsSince(ROWS, "2026-11-15T12:00:00Z")).toBe(ROWS);
});

const rowsOf = (...ids: readonly string[]) => ids.map((traceId) => rowOf({ traceId }));
const page = (of: readonly TraceRow[], hasMore: boolean): TracePage => {
  const after = of.at(-1) ?? rowOf();
  return {
    rows: of,
    next: hasMore ? { cursor: "c", after, from: undefined, to: undefined } : null,
  };
};

describe("held rows", () => {
  it("are counted once each, without those already in the list", () => {
    const held = holdRows(holdRows(nothingHeld("list"), rowsOf("a", "b")), rowsOf("b", "shown"));
    expect(countNew(held, [page(rowsOf("shown"), false)])).toBe(2);
  });

  it("are bounded: beyond that the list has to be read again", () => {
    const many = Array.from({ length: 1001 }, (_, n) => `t${n}`);
    const held = holdRows(nothingHeld("list"), rowsOf(...many));
    expect([held.hasGap, held.rows.size]).toEqual([true, 0]);
    expect(holdRows(held, rowsOf("later"))).toBe(held);
  });
});

describe("the newest page after a reconnect", () => {
  const loaded = [page(rowsOf("c", "b", "a"), true)];

  it("leaves no gap where it overlaps shown or held rows", () => {
    const held = holdRows(nothingHeld("list"), rowsOf("e"));
    expect(leavesGap(page(rowsOf("e", "d", "c"), true), loaded, nothingHeld("list"))).toBe(false);
    expect(leavesGap(page(rowsOf("f", "e"), true), loaded, held)).toBe(false);
  });

  it("leaves a gap where all its rows are new and there are more", () => {
    expect(leavesGap(page(rowsOf("f", "e"), true), loaded, nothingHeld("list"))).toBe(true);
  });

  it("leaves no gap where it is the whole list", () => {
    expect(leavesGap(page(rowsOf("f", "e"), false), loaded, nothingHeld("list"))).toBe(false);
  });
});
