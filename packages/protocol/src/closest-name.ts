const LONGEST = 64;

/** The name that somebody who wrote this one probably meant. */
export function closestName(written: string, names: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  const plain = withoutStyle(written);
  let closest: string | undefined;
  // One slip in three letters; more and the two names have little to do with each other.
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

/** How many letters have to be put in, left out, replaced, or swapped with their neighbour. */
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
