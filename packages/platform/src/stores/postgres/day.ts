const MICROS_PER_DAY = 86_400_000_000;
const MS_PER_DAY = 86_400_000;
/** PostgreSQL counts days from 2000-01-01. */
const POSTGRES_EPOCH = 10_957;

/** Days since 1970 of a time in microseconds. */
export function dayOf(micros: number): number {
  return Math.floor(micros / MICROS_PER_DAY);
}

/** As SQL writes it: `2026-11-15`. */
export function dateText(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The table that holds a day of another: `spans_20261115`, with its schema. */
export function tableOfDay(table: string, day: number): string {
  return `agate.${table}_${dateText(day).replaceAll("-", "")}`;
}

/** The day that {@link dateText} has written. */
export function parseDate(text: string): number {
  return Math.floor(Date.parse(text) / MS_PER_DAY);
}

/** A day as PostgreSQL's binary format has it. */
export const toBinaryDate = (day: number): number => day - POSTGRES_EPOCH;
