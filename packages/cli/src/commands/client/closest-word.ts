/** The word that somebody who wrote `text` most likely meant; undefined if none is near. */
export function closestWord(text: string, words: readonly string[]): string | undefined {
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of words) {
    const distance = editDistance(text, word);
    if (distance * 3 > Math.max(text.length, word.length) + 1) continue;
    if (best === undefined || distance < best.distance) best = { word, distance };
  }
  return best?.word;
}

/** Letters to add, drop, replace or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      let cost = Math.min(above[column]! + 1, line[column - 1]! + 1, above[column - 1]! + same);
      if (row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, before[column - 2]! + 1);
      }
      line.push(cost);
    }
    before = above;
    above = line;
  }
  return above[to.length]!;
}
