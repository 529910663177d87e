const SECOND = 1_000_000;
const UNITS = [
  { letter: "d", length: 86_400 * SECOND },
  { letter: "h", length: 3_600 * SECOND },
  { letter: "m", length: 60 * SECOND },
  { letter: "s", length: SECOND },
] as const;

/** Microseconds of a length of time such as `90s`, `5m`, `1h`, `7d`; undefined for anything else. */
export function parseInterval(text: string): number | undefined {
  const [, digits, letter] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const unit = UNITS.find((known) => known.letter === letter);
  if (unit === undefined) return undefined;
  const interval = Number(digits) * unit.length;
  return Number.isSafeInteger(interval) ? interval : undefined;
}

/** The shortest spelling of an interval in whole seconds. */
export function formatInterval(interval: number): string {
  const unit = UNITS.find(({ length }) => interval % length === 0) ?? UNITS[3];
  return `${interval / unit.length}${unit.letter}`;
}
