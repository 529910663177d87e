import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textPieces, textStart } from "./long-text.tsx";

describe("the pieces of a long text", () => {
  it("are together the text, none of them long, none cut inside of a character", () => {
    const anyText = fc
      .tuple(fc.constantFrom("a", "word ", "line\n", "🦫", "a🦫 "), fc.nat(30_000))
      .map(([unit, count]) => unit.repeat(count));
    fc.assert(
      fc.property(anyText, (text) => {
        const pieces = textPieces(text);
        expect(pieces.join("") === text).toBe(true);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(20_000);
          expect(piece.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("end where a line does", () => {
    const pieces = textPieces(`${"x".repeat(99)}\n`.repeat(1000));
    expect(pieces.every((piece) => piece.endsWith("\n"))).toBe(true);
  });
});

it("begins a text without cutting a character in two", () => {
  expect(textStart("ab🦫", 3)).toBe("ab");
  expect(textStart("ab🦫", 4)).toBe("ab🦫");
});
