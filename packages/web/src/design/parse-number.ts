const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The number that somebody typed; undefined for what is none, or is too large to be one. */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return undefined;
  const number = Number(trimmed);
  // JSON has no minus zero.
  return Number.isFinite(number) ? number + 0 : undefined;
}
