import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffWords } from "./diff-words.ts";

describe("diffWords", () => {
  it("marks the words that differ", () => {
    expect(diffWords("Summarise in one paragraph.", "Summarise in two paragraphs.")).toEqual([
      { kind: "kept", text: "Summarise in " },
      { kind: "removed", text: "one paragraph" },
      { kind: "added", text: "two paragraphs" },
      { kind: "kept", text: "." },
    ]);
  });

  it("keeps an insertion apart from other changes", () => {
    expect(diffWords("Be brief.", "Be very brief.")).toEqual([
      { kind: "kept", text: "Be " },
      { kind: "added", text: "very " },
      { kind: "kept", text: "brief." },
    ]);
  });

  it("does not join changes across lines", () => {
    const kinds = diffWords("one\ntwo", "eins\nzwei").map(({ kind }) => kind);
    expect(kinds).toEqual(["removed", "added", "kept", "removed", "added"]);
  });

  it("shows a change of nothing but space", () => {
    expect(diffWords("a b", "a  b")).toEqual([
      { kind: "kept", text: "a" },
      { kind: "removed", text: " " },
      { kind: "added", text: "  " },
      { kind: "kept", text: "b" },
    ]);
  });

  it("has no part for texts that are empty", () => {
    expect(diffWords("", "")).toEqual([]);
  });

  it("still tells both texts where too much has changed to compare words", () => {
    const words = (prefix: string) =>
      Array.from({ length: 4000 }, (_, index) => `${prefix}${index}`).join("\n");
    const [from, to] = [words("a"), words("b")];
    expect(joined(from, to)).toEqual([from, to]);
  });

  it("loses nothing of either text", () => {
    const word = fc.constantFrom(
      "a",
      "b",
      "é",
      "word",
      " ",
      "  ",
      "\n",
      "\r\n",
      "\t",
      ".",
      "—",
      "👍",
    );
    const text = fc.oneof(
      fc.array(word, { maxLength: 40 }).map((words) => words.join("")),
      fc.string(),
    );
    fc.assert(
      fc.property(text, text, (from, to) => {
        expect(joined(from, to)).toEqual([from, to]);
      }),
    );
  });
});

function joined(from: string, to: string): [string, string] {
  const parts = diffWords(from, to);
  const without = (left: string) =>
    parts
      .filter(({ kind }) => kind !== left)
      .map(({ text }) => text)
      .join("");
  return [without("added"), without("removed")];
}
