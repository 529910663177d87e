import type { HrTime } from "@opentelemetry/api";

/**
 * The clock of one call. OpenTelemetry's own starts spans at whole milliseconds, in which several
 * steps of a call fit: their order would be lost. One clock serves a whole call, so that what it
 * measures never runs backwards when the machine's clock is set.
 */
export class TraceClock {
  readonly #epoch = Date.now();
  readonly #monotonic = performance.now();
  /** When the clock was started. */
  readonly start: HrTime = this.now();

  now(): HrTime {
    const milliseconds = this.#epoch + (performance.now() - this.#monotonic);
    const seconds = Math.floor(milliseconds / 1_000);
    return [seconds, Math.round((milliseconds - seconds * 1_000) * 1_000) * 1_000];
  }
}
