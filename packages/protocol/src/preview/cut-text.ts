const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The beginning of a text, cut between two characters as readers see them: no surrogate pair, accent or
 * joined emoji is taken apart.
 *
 * @param most UTF-16 code units. A character that alone is longer is cut between its code points.
 * @example cutText("cafe\u0301", 4) // "caf"
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = GRAPHEMES.segment(text.slice(0, 2 * most)).containing(most)?.index ?? 0;
  return text.slice(0, end > 0 ? end : codePointEnd(text, most));
}

/** The last place between two code points, at `most` or before it. */
function codePointEnd(text: string, most: number): number {
  const isSplit =
    /[\uD800-\uDBFF]/.test(text[most - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[most] ?? "");
  return isSplit ? most - 1 : most;
}
