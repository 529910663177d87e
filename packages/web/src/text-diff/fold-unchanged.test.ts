import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffWords } from "./diff-words.ts";
import { foldedText, foldUnchanged } from "./fold-unchanged.ts";

const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `Line ${n} says the same in both of the texts.\n`).join(
    "",
  );

describe("what both texts have", () => {
  it("is folded but for the lines beside a change", () => {
    const text = lines(20);
    const pieces = foldUnchanged(diffWords(text, text.replace("Line 9 says", "Line 9 said")));
    expect(pieces.map(({ kind, text: words }) => [kind, words.split("\n").length - 1])).toEqual([
      ["folded", 8],
      ["kept", 1],
      ["removed", 0],
      ["added", 0],
      ["kept", 2],
      ["folded", 9],
    ]);
    expect(foldedText(pieces[0]!.text)).toBe("8 unchanged lines");
  });

  it("is folded between words where there are no lines", () => {
    const text = "word ".repeat(400);
    const [folded, kept] = foldUnchanged(diffWords(text, `${text}more`));
    expect(folded).toMatchObject({ kind: "folded", text: expect.stringMatching(/ $/) });
    expect(kept!.text.length).toBeLessThan(300);
    expect(foldedText(folded!.text)).toMatch(/^1,\d\d\d unchanged characters$/);
  });

  it("stays where it is short, and where nothing changed", () => {
    for (const parts of [diffWords("a b", "a c"), diffWords(lines(50), lines(50))]) {
      expect(foldUnchanged(parts)).toEqual(parts);
    }
  });

  it("is complete when parts are collapsed", () => {
    const text = fc.array(fc.constantFrom("a", "word", " ", "\n", lines(3), "x".repeat(300)));
    fc.assert(
      fc.property(text, text, text, (before, change, after) => {
        const parts = diffWords(
          [...before, ...after].join(""),
          [...before, ...change, ...after].join(""),
        );
        const joined = (pieces: readonly { readonly text: string }[]) =>
          pieces.map((piece) => piece.text).join("");
        expect(joined(foldUnchanged(parts))).toBe(joined(parts));
      }),
    );
  });
});
