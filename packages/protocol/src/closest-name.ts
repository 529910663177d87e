import { shownChoices, shownValue } from "./shown-value.ts";

const LONGEST = 64;

/** The known name that is most like an unknown one, for a "did you mean". */
export function closestName(written: string, names: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  const plain = withoutStyle(written);
  let closest: string | undefined;
  // At most one typo in three letters: with more, the two names are probably unrelated.
  let fewest = Math.floor(plain.length / 3) + 1;
  for (const name of names) {
    const other = withoutStyle(name);
    if (Math.abs(other.length - plain.length) >= fewest) continue;
    const slips = distance(plain, other);
    if (slips < fewest) {
      closest = name;
      fewest = slips;
    }
  }
  return closest;
}

/** `max_tokens`, `max-tokens` and `maxTokens` are the same name in three styles. */
function withoutStyle(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

/** Damerau–Levenshtein: how many letters are inserted, removed, replaced or swapped with a neighbour. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let fewest = Math.min(replaced, row[j]! + 1, next[j - 1]! + 1);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        fewest = Math.min(fewest, before[j - 2]! + 1);
      }
      next.push(fewest);
    }
    before = row;
    row = next;
  }
  return row[to.length]!;
}

/** The message for a route or field that a configuration does not have. */
export function unknownName(
  what: "route" | "field",
  name: string,
  names: readonly string[],
): string {
  if (names.length === 0) return `There is no such ${what}; the configuration has none.`;
  const meant = closestName(name, names);
  return meant === undefined
    ? `There is no such ${what}. Write ${shownChoices(names)}.`
    : `There is no such ${what}; did you mean ${shownValue(meant)}?`;
}
