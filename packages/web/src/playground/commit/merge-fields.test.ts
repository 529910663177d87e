import { isRecord, isSameJson } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeFields, preselectedSide, resolvedFields, type Side } from "./merge-fields.ts";

const base = { tone: "plain", sentences: 3, bullets: false, prompt: "Say it." };

describe("Merging", () => {
  test("names each field that one side or both have changed, and what both changed differently", () => {
    const mine = { ...base, tone: "formal", bullets: true, sentences: 5 };
    const theirs = { ...base, tone: "playful", sentences: 5, prompt: "Say it well." };
    const fields = mergeFields(base, mine, theirs);
    expect(fields.map((field) => [field.field, field.isConflict, preselectedSide(field)])).toEqual([
      ["tone", true, null],
      ["sentences", false, "mine"],
      ["bullets", false, "mine"],
      ["prompt", false, "theirs"],
    ]);
  });

  test("takes what was chosen, field by field", () => {
    const mine = { ...base, tone: "formal", bullets: true };
    const theirs = { ...base, tone: "playful", sentences: 2 };
    const fields = mergeFields(base, mine, theirs);
    expect(resolvedFields(theirs, fields, { tone: "mine", sentences: "mine" })).toEqual({
      ...base,
      tone: "formal",
      bullets: true,
    });
  });

  test("goes into objects that all three have, and takes lists as a whole", () => {
    const model = { name: "small", temperature: 0.5, stop: ["a"] };
    const before = { model, plain: 1 };
    const mine = { model: { ...model, temperature: 0.9, stop: ["a", "b"] }, plain: 1 };
    const theirs = { model: { ...model, name: "large", stop: ["c"] }, plain: 1 };
    const fields = mergeFields(before, mine, theirs);
    expect(fields.map((field) => [field.field, field.isConflict, preselectedSide(field)])).toEqual([
      ["model.name", false, "theirs"],
      ["model.temperature", false, "mine"],
      ["model.stop", true, null],
    ]);
    expect(resolvedFields(theirs, fields, { "model.stop": "mine" })).toEqual({
      model: { name: "large", temperature: 0.9, stop: ["a", "b"] },
      plain: 1,
    });
  });

  test("takes an object as one value where a side has none", () => {
    const mine = { model: { name: "large", seed: 1 } };
    for (const [before, theirs] of [
      [{}, { model: { name: "small" } }],
      [{ model: { name: "small" } }, {}],
      [{ model: { name: "small" } }, { model: null }],
    ]) {
      const fields = mergeFields(before!, mine, theirs!);
      expect(fields).toMatchObject([{ field: "model", isConflict: true }]);
      expect(resolvedFields(theirs!, fields, { model: "mine" })).toEqual(mine);
    }
  });

  test("tells a field with a dot from a field of an object", () => {
    const before = { a: { b: 1 }, "a.b": 1 };
    const mine = { a: { b: 2 }, "a.b": 2 };
    const fields = mergeFields(before, mine, before);
    expect(fields.map(({ field }) => field)).toEqual(["a.b", '"a.b"']);
    expect(resolvedFields(before, fields, { "a.b": "theirs" })).toEqual({ a: { b: 1 }, "a.b": 2 });
  });
});

const names = fc.constantFrom("a", "b", "a.b", "constructor", "__proto__");
const { values } = fc.letrec<{ value: unknown; values: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(1, 2, "x", null, [1], [{ k: 1 }]),
    tie("values"),
  ),
  values: fc.dictionary(names, tie("value"), { maxKeys: 3 }),
}));
const choose = fc.func(fc.constantFrom<Side | null>("mine", "theirs", null));

/** The values at every path, the paths of objects that all sides have left out. */
function leaves(sides: readonly unknown[], path: readonly string[] = []): Map<string, unknown[]> {
  const [first] = sides;
  if (!sides.slice(0, 3).every(isRecord) || first === undefined) {
    return new Map([[JSON.stringify(path), [...sides]]]);
  }
  const all = new Set(sides.flatMap((side) => (isRecord(side) ? Object.keys(side) : [])));
  return new Map(
    [...all].flatMap((name) => {
      const inner = sides.map((side) =>
        isRecord(side) && Object.hasOwn(side, name) ? side[name] : undefined,
      );
      return [...leaves(inner, [...path, name])];
    }),
  );
}

test("No change of either side is lost: each value is as one of them has it, the chosen one where one was chosen", () => {
  fc.assert(
    fc.property(values, values, values, choose, (before, mine, theirs, choice) => {
      const fields = mergeFields(before, mine, theirs);
      const chosen = new Map(fields.map(({ path }) => [JSON.stringify(path), choice(path)]));
      const sides = fields.flatMap(({ field, path }) => {
        const side = chosen.get(JSON.stringify(path));
        return side ? [[field, side] as const] : [];
      });
      const result = resolvedFields(theirs, fields, Object.fromEntries(sides));
      for (const [path, [was, my, their, now]] of leaves([before, mine, theirs, result])) {
        const isMine = !isSameJson(was, my);
        const isTheirs = !isSameJson(was, their);
        const side = chosen.get(path);
        if (!isMine && !isTheirs) expect(now).toEqual(was);
        else if (side) expect(now).toEqual(side === "mine" ? my : their);
        else if (isMine && !isTheirs) expect(now).toEqual(my);
        else expect(now).toEqual(their);
      }
    }),
  );
});
