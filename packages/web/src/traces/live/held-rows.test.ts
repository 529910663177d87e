import { describe, expect, it } from "vitest";
import type { TraceRow } from "../../api/trace-row.ts";
import type { TracePage } from "../../api/traces.ts";
import { countNew, holdChanges, leavesGap, nothingHeld } from "./held-rows.ts";
import { rowOf } from "./trace-row.fixture.ts";

const rows = (...ids: readonly string[]) => ids.map((traceId) => rowOf({ traceId }));
const arrived = (...ids: readonly string[]) => rows(...ids).map((row) => ({ row, belongs: true }));
const page = (of: readonly TraceRow[], hasMore: boolean): TracePage => {
  const after = of.at(-1) ?? rowOf();
  return {
    rows: of,
    next: hasMore ? { cursor: "c", after, from: undefined, to: undefined } : null,
  };
};

describe("rows that wait", () => {
  it("are counted once each, and only those that the list does not show", () => {
    const held = holdChanges(
      holdChanges(nothingHeld("list"), arrived("a", "b")),
      arrived("b", "shown"),
    );
    const gone = { row: rowOf({ traceId: "gone" }), belongs: false };
    expect(countNew(holdChanges(held, [gone]), [page(rows("shown"), false)])).toBe(2);
  });

  it("are not kept without end: then the list is to be read anew", () => {
    const many = Array.from({ length: 1001 }, (_, n) => `t${n}`);
    const held = holdChanges(nothingHeld("list"), arrived(...many));
    expect([held.hasGap, held.changes.size]).toEqual([true, 0]);
    expect(holdChanges(held, arrived("later"))).toBe(held);
  });
});

describe("the newest page, after a while without news", () => {
  const loaded = [page(rows("c", "b", "a"), true)];

  it("fits where it has something that is known, shown or waiting", () => {
    const held = holdChanges(nothingHeld("list"), arrived("e"));
    expect(leavesGap(page(rows("e", "d", "c"), true), loaded, nothingHeld("list"))).toBe(false);
    expect(leavesGap(page(rows("f", "e"), true), loaded, held)).toBe(false);
  });

  it("leaves a gap where all of it is new and there is more", () => {
    expect(leavesGap(page(rows("f", "e"), true), loaded, nothingHeld("list"))).toBe(true);
  });

  it("leaves none where it is all there is", () => {
    expect(leavesGap(page(rows("f", "e"), false), loaded, nothingHeld("list"))).toBe(false);
  });
});
