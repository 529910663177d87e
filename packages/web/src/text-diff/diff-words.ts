import { diffLines, diffWordsWithSpace } from "diff";

/** A part of a text that is in both versions, or only in one. */
export interface TextPart {
  readonly kind: "kept" | "removed" | "added";
  readonly text: string;
}

/** With more changed words, lines are compared: the effort is quadratic. */
const MOST_WORD_EDITS = 1000;
const MOST_LINE_EDITS = 1000;

/**
 * The differences of two texts, word by word. The kept and removed parts are exactly the first text, the
 * kept and added parts the second.
 *
 * @example diffWords("a red fox", "a blue fox")
 * // kept "a ", removed "red", added "blue", kept " fox"
 */
export function diffWords(from: string, to: string): readonly TextPart[] {
  const changes =
    diffWordsWithSpace(from, to, { maxEditLength: MOST_WORD_EDITS }) ??
    diffLines(from, to, { maxEditLength: MOST_LINE_EDITS });
  const parts =
    changes?.map(
      ({ value, added, removed }): TextPart => ({
        kind: added ? "added" : removed ? "removed" : "kept",
        text: value,
      }),
    ) ?? wholeTexts(from, to);
  return groupChanges(parts);
}

function wholeTexts(from: string, to: string): TextPart[] {
  return [
    { kind: "removed", text: from },
    { kind: "added", text: to },
  ];
}

/**
 * Joins changes that are separated by spaces only, so that a rewritten sentence reads as one change and
 * not as many single words.
 */
function groupChanges(parts: readonly TextPart[]): readonly TextPart[] {
  const grouped: TextPart[] = [];
  let removed = "";
  let added = "";
  const endChange = () => {
    if (removed !== "") grouped.push({ kind: "removed", text: removed });
    if (added !== "") grouped.push({ kind: "added", text: added });
    removed = "";
    added = "";
  };
  for (const [index, { kind, text }] of parts.entries()) {
    if (kind === "removed") removed += text;
    else if (kind === "added") added += text;
    else if (isGap(text) && removed !== "" && added !== "" && isReplaced(parts, index + 1)) {
      removed += text;
      added += text;
    } else {
      endChange();
      grouped.push({ kind: "kept", text });
    }
  }
  endChange();
  return grouped;
}

/** Paragraphs are not joined. */
function isGap(text: string): boolean {
  return /^[^\S\n]*$/.test(text);
}

/** Whether the next change replaces text. */
function isReplaced(parts: readonly TextPart[], start: number): boolean {
  const kinds = [parts[start]?.kind, parts[start + 1]?.kind];
  return kinds.includes("removed") && kinds.includes("added");
}
