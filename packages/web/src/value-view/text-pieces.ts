/** About how long a piece is: short enough to be laid out without a pause. */
const PIECE_LENGTH = 20_000;
/** How far back a better place to cut is looked for. */
const SEARCHED = 2000;

/**
 * A long text cut into pieces that the browser lays out one by one, when they are scrolled to. Cuts
 * are at the ends of lines or words where there are any, and never inside of a character.
 */
export function textPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = cutAfter(text, from);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** The beginning of a text, not cut inside of a character. */
export function textStart(text: string, length: number): string {
  return text.slice(0, isInsideOfPair(text, length) ? length - 1 : length);
}

function cutAfter(text: string, from: number): number {
  const to = from + PIECE_LENGTH;
  if (to >= text.length) return text.length;
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, to - 1);
    if (at >= to - SEARCHED) return at + 1;
  }
  return isInsideOfPair(text, to) ? to - 1 : to;
}

function isInsideOfPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 && at < text.length;
}
