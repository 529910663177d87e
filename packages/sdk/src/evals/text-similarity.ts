/**
 * The Sørensen–Dice coefficient over pairs of neighbouring characters, without regard to case and runs
 * of white space. Unlike an edit distance it takes time in proportion to the texts.
 */
export function textSimilarity(one: string, other: string): number {
  const [first, second] = [normalised(one), normalised(other)];
  if (first === second) return 1;
  const pairs = pairCounts(first);
  let shared = 0;
  for (const [pair, count] of pairCounts(second)) shared += Math.min(count, pairs.get(pair) ?? 0);
  const total = pairTotal(first) + pairTotal(second);
  return total === 0 ? 0 : (2 * shared) / total;
}

function normalised(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

const pairTotal = (text: string) => Math.max(0, text.length - 1);

function pairCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}
