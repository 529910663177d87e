import { describe, expect, it } from "vitest";
import type { PlainRow } from "./plain-rows.ts";
import { RowDigest } from "./plain-rows.ts";

function digest(...pages: PlainRow[][]) {
  const digest = new RowDigest();
  for (const page of pages) digest.add(page);
  return digest.end();
}

describe("RowDigest", () => {
  it("is independent of the order of columns and the size of pages", () => {
    const one = digest([{ id: "a", n: 1 }], [{ id: "b", n: null }]);
    const other = digest([
      { n: 1, id: "a" },
      { n: null, id: "b" },
    ]);
    expect(other).toEqual(one);
    expect(one.rows).toBe(2);
  });

  it.each<[string, PlainRow[]]>([
    ["a value", [{ id: "a", n: 2 }]],
    ["the type of a value", [{ id: "a", n: "1" }]],
    ["null for a text", [{ id: "a", n: null }]],
    ["the name of a column", [{ id: "a", m: 1 }]],
    ["a column more", [{ id: "a", n: 1, o: null }]],
    ["a value that moved to the next column", [{ id: "a1", n: "" }]],
    ["no row", []],
  ])("differs with %s", (_, rows) => {
    expect(digest(rows).sha256).not.toBe(digest([{ id: "a", n: 1 }]).sha256);
  });

  it("differs with the order of rows", () => {
    const [a, b] = [{ id: "a" }, { id: "b" }];
    expect(digest([a, b]).sha256).not.toBe(digest([b, a]).sha256);
  });
});
