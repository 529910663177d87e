/** Reports where something was found: ranges in order, which do not overlap. */
export type Report = (start: number, end: number) => void;

/** Finds every occurrence of one kind of personal data or credential in a text. */
export type Finder = (text: string, report: Report) => void;

/** Replaces what a finder finds. Returns the same text where it finds nothing. */
export function replaceFound(text: string, find: Finder, replacement: string): string {
  let replaced = "";
  let end = 0;
  find(text, (start, foundEnd) => {
    replaced += text.slice(end, start) + replacement;
    end = foundEnd;
  });
  return end === 0 ? text : replaced + text.slice(end);
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

export function rangeOf(start: number, found: string): Range {
  return { start, end: start + found.length };
}

/** Reports ranges in order. Of two that overlap, the one that begins first. */
export function reportInOrder(ranges: readonly Range[], report: Report): void {
  let free = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < free) continue;
    report(start, end);
    free = end;
  }
}

/** A digit or an ASCII letter; false beyond the ends of a text. */
export function isAlphanumeric(code: number): boolean {
  return isDigit(code) || isLetter(code);
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}
