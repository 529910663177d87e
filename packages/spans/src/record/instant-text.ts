import type { Instant } from "../otlp-span.ts";

const MICROS_PER_SECOND = 1_000_000;
// Spans that arrive together happened within seconds of each other.
const MOST_SECONDS = 256;

/** Writes points in time as RFC 3339 in UTC. */
export class InstantWriter {
  readonly #seconds = new Map<number, string>();

  /** With six fraction digits and no `Z` yet, so that three more may follow. */
  openMicros(instant: Instant): string {
    const second = Math.floor(instant.us / MICROS_PER_SECOND);
    const micros = instant.us - second * MICROS_PER_SECOND;
    // From 2255 on `us` is no longer exact, and the difference may fall outside the second.
    const within = Math.min(Math.max(micros, 0), MICROS_PER_SECOND - 1);
    return `${this.#secondText(second)}.${`${MICROS_PER_SECOND + within}`.slice(1)}`;
  }

  /** With nine fraction digits. */
  nanos(instant: Instant): string {
    return `${this.openMicros(instant)}${nanosText(instant)}`;
  }

  #secondText(second: number): string {
    const known = this.#seconds.get(second);
    if (known !== undefined) return known;
    const text = new Date(second * 1000).toISOString().slice(0, 19);
    if (this.#seconds.size >= MOST_SECONDS) this.#seconds.clear();
    this.#seconds.set(second, text);
    return text;
  }
}

/** The last three of nine fraction digits, and the `Z`. */
export function nanosText({ nanos }: Instant): string {
  return `${`${1000 + nanos}`.slice(1)}Z`;
}

/** Milliseconds from start to end; null for a span that has not ended, or ended before it began. */
export function latencyOf(start: Instant, end: Instant): number | null {
  // In whole nanoseconds first: a sum of fractions would show as 12.300000000000001.
  const nanos = (end.us - start.us) * 1000 + (end.nanos - start.nanos);
  return isSet(end) && nanos >= 0 ? nanos / 1_000_000 : null;
}

/** OTLP has 0 for a time that is not known. */
export function isSet(instant: Instant): boolean {
  return instant.us !== 0 || instant.nanos !== 0;
}
