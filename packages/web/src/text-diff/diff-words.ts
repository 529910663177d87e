import { diffLines, diffWordsWithSpace } from "diff";

/** A stretch of text that both have, or only one. */
export interface TextPart {
  readonly kind: "kept" | "removed" | "added";
  readonly text: string;
}

/** Beyond so many changed words, lines are compared: the effort grows with the square. */
const MOST_WORD_EDITS = 1000;
const MOST_LINE_EDITS = 1000;

/**
 * How one text becomes another, word by word. Without what is added the parts are the first text,
 * without what is removed the second, to the last space.
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
 * Joins changes that have nothing but space between them, so that a sentence that was rewritten reads
 * as one and not as a row of single words.
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

/** A paragraph's end is no gap: what stands on either side is read by itself. */
function isGap(text: string): boolean {
  return /^[^\S\n]*$/.test(text);
}

/** Whether something is removed from here and something else put into its place. */
function isReplaced(parts: readonly TextPart[], start: number): boolean {
  const kinds = [parts[start]?.kind, parts[start + 1]?.kind];
  return kinds.includes("removed") && kinds.includes("added");
}
