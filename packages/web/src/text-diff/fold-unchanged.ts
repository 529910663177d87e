import type { TextPart } from "./diff-words.ts";

/** Unchanged text that is collapsed. */
export interface FoldedText {
  readonly kind: "folded";
  readonly text: string;
}

/** The context around a change: this many lines, of at most this many characters. */
const NEAR_LINES = 2;
const NEAR_CHARACTERS = 240;
/** Shorter texts are not collapsed. */
const SHORTEST_FOLD = 160;

/** Collapses unchanged text that is far from all changes. */
export function foldUnchanged(parts: readonly TextPart[]): readonly (TextPart | FoldedText)[] {
  if (parts.every(({ kind }) => kind === "kept")) return parts;
  return parts.flatMap((part, index): readonly (TextPart | FoldedText)[] => {
    if (part.kind !== "kept") return [part];
    const { text } = part;
    const from = index === 0 ? 0 : startOfFold(text);
    const to = index === parts.length - 1 ? text.length : endOfFold(text);
    if (to - from < SHORTEST_FOLD) return [part];
    const pieces = [
      { kind: "kept", text: text.slice(0, from) },
      { kind: "folded", text: text.slice(from, to) },
      { kind: "kept", text: text.slice(to) },
    ] as const;
    return pieces.filter((piece) => piece.text !== "");
  });
}

/** After the context behind a change. */
function startOfFold(text: string): number {
  let end = 0;
  for (let line = 0; line < NEAR_LINES; line += 1) {
    const next = text.indexOf("\n", end);
    if (next < 0) return Math.min(text.length, wordEndAfter(text, NEAR_CHARACTERS));
    end = next + 1;
  }
  return end <= NEAR_CHARACTERS ? end : wordEndAfter(text, NEAR_CHARACTERS);
}

/** Before the context in front of a change. */
function endOfFold(text: string): number {
  let start = text.length;
  for (let line = 0; line < NEAR_LINES; line += 1) {
    const before = text.lastIndexOf("\n", start - 2);
    if (before < 0) return wordStartBefore(text, text.length - NEAR_CHARACTERS);
    start = before + 1;
  }
  return text.length - start <= NEAR_CHARACTERS
    ? start
    : wordStartBefore(text, text.length - NEAR_CHARACTERS);
}

function wordEndAfter(text: string, at: number): number {
  const space = text.indexOf(" ", at);
  return space < 0 ? text.length : space + 1;
}

function wordStartBefore(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf(" ", at) + 1;
}

/** @example foldedText("one\ntwo\n") // "2 unchanged lines" */
export function foldedText(text: string): string {
  const lines = text.split("\n").length - 1;
  const [count, word] = lines > 1 ? [lines, "lines"] : [text.length, "characters"];
  return `${count.toLocaleString("en")} unchanged ${word}`;
}
