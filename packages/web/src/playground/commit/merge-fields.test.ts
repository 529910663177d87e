import { isSameJson } from "@agate/protocol";
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
});

const values = fc.dictionary(
  fc.constantFrom("a", "b", "c", "constructor", "__proto__"),
  fc.constantFrom<unknown>(1, 2, "x", null, [1], { k: 1 }),
);
const sides = fc.dictionary(
  fc.constantFrom("a", "b", "c", "constructor", "__proto__"),
  fc.constantFrom<Side>("mine", "theirs"),
);

test("No change of either side is lost: each field is as one of them has it, the chosen one where one was chosen", () => {
  fc.assert(
    fc.property(values, values, values, sides, (before, mine, theirs, chosen) => {
      const fields = mergeFields(before, mine, theirs);
      const result = resolvedFields(theirs, fields, chosen);
      const all = new Set([before, mine, theirs, result].flatMap((each) => Object.keys(each)));
      for (const name of all) {
        const [was, my, their, now] = [before, mine, theirs, result].map((each) =>
          Object.hasOwn(each, name) ? each[name] : undefined,
        );
        const isMine = !isSameJson(was, my);
        const isTheirs = !isSameJson(was, their);
        if (!isMine && !isTheirs) expect(now).toEqual(was);
        else if (Object.hasOwn(chosen, name))
          expect(now).toEqual(chosen[name] === "mine" ? my : their);
        else if (isMine && !isTheirs) expect(now).toEqual(my);
        else expect(now).toEqual(their);
      }
    }),
  );
});
