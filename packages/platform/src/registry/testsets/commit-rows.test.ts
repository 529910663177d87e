import { MOST_ROWS, MOST_SET_BYTES } from "@agate/protocol/testsets";
import { describe, expect, it } from "vitest";
import { sizeRefusal } from "./commit-rows.ts";
import { planPatch } from "./plan-commit.ts";
import { toStoredRow } from "./row-content.ts";

const rowOf = (id: string) =>
  toStoredRow({ id, inputs: { id }, metadata: {}, tags: [], source: null });
/** The rows of a set, each of this size. */
const rowsOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `r${n}`, position: n, hash: "", bytes }));

function refusalOf(current: ReturnType<typeof rowsOf>, upsert: string[], removed: string[] = []) {
  const refusal = sizeRefusal(planPatch(current, upsert.map(rowOf), new Set(removed)));
  return refusal?.problems.map(({ msg }) => msg);
}

describe("a patch of a test set", () => {
  it("leaves it at most 50,000 rows", () => {
    const full = rowsOf(MOST_ROWS, 1);
    expect(refusalOf(full.slice(1), ["new"])).toBeUndefined();
    expect(refusalOf(full, ["r0"])).toBeUndefined();
    expect(refusalOf(full, ["new"], ["r0"])).toBeUndefined();
    const msg = "A test set has at most 50,000 rows (got 50,001).";
    expect(refusalOf(full, ["new"])).toEqual([msg]);
    expect(refusalOf(full, ["new", "newer"], ["r0"])).toEqual([msg]);
  });

  it("leaves it at most 256 MiB, less what it replaces or removes", () => {
    const room = rowOf("r0").bytes;
    const [first, last] = [{ ...rowsOf(1, room)[0]! }, { ...rowsOf(2, MOST_SET_BYTES - room)[1]! }];
    expect(refusalOf([first, last], [])).toBeUndefined();
    expect(refusalOf([first, last], ["r0"])).toBeUndefined();
    expect(refusalOf([first, last], ["n0"], ["r0"])).toBeUndefined();
    const msg = "A test set has rows of at most 268,435,456 bytes together (got 268,435,457).";
    expect(refusalOf([first, { ...last, bytes: last.bytes + 1 }], ["r0"])).toEqual([msg]);
    expect(refusalOf([{ ...first, bytes: 1 }, last], ["n0"])).toEqual([msg]);
  });
});
