import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameJson } from "../json-value.ts";
import { assignRowIds, canonicalJson, inputsId } from "./row-ids.ts";

describe("canonicalJson", () => {
  it("is the same for the same JSON alone, and is JSON", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(isSameJson(JSON.parse(canonicalJson(one)), JSON.parse(JSON.stringify(one)))).toBe(
          true,
        );
        const plain = [one, other].map((each) => JSON.parse(JSON.stringify(each)));
        expect(canonicalJson(one) === canonicalJson(other)).toBe(isSameJson(plain[0], plain[1]));
      }),
    );
    expect(canonicalJson({ b: 1, a: { d: undefined, c: [-0, null] } })).toBe(
      canonicalJson({ a: { c: [0, null] }, b: 1 }),
    );
  });
});

describe("assignRowIds", () => {
  it("counts rows with equal inputs, and leaves given ids alone", () => {
    const a = { text: "a" };
    const id = inputsId(a);
    expect(assignRowIds([{ inputs: a }, { inputs: a }, { inputs: {} }, { inputs: a }])).toEqual([
      id,
      `${id}-2`,
      inputsId({}),
      `${id}-3`,
    ]);
    expect(assignRowIds([{ inputs: a }, { id, inputs: {} }, { id: `${id}-2`, inputs: a }])).toEqual(
      [`${id}-3`, id, `${id}-2`],
    );
  });

  it("gives the same ids when rows are read again with the ids that they got", () => {
    const row = fc.record(
      { id: fc.constantFrom("x", "y", inputsId({ n: 1 })), inputs: fc.record({ n: fc.nat(2) }) },
      { requiredKeys: ["inputs"] },
    );
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: ({ id }) => id ?? Symbol() }), (rows) => {
        const ids = assignRowIds(rows);
        expect(new Set(ids).size).toBe(rows.length);
        expect(assignRowIds(rows)).toEqual(ids);
        expect(assignRowIds(rows.map((each, n) => ({ ...each, id: ids[n] })))).toEqual(ids);
      }),
    );
  });

  it("is not slower for many rows with equal inputs", () => {
    const ids = assignRowIds(Array.from({ length: 50_000 }, () => ({ inputs: {} })));
    expect(ids.at(-1)).toBe(`${inputsId({})}-50000`);
  });
});
