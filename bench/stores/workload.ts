import type { Load, LoadBatch } from "../loads/load.ts";

const DAY_MICROS = 24 * 3_600_000_000;

/** One workload for every store: a day of an LLM application. */
export interface Workload {
  /** Microseconds since 1970; the traces start from a day before this up to it. */
  readonly until: number;
  readonly batches: number;
  readonly spansPerBatch: number;
  /** The n-th batch starts at its place in the day. */
  batch(n: number): LoadBatch;
}

/** A day of at least this many spans, which ends now. */
export function createWorkload(load: Load, spans: number): Workload {
  const until = Date.now() * 1000;
  const batches = Math.ceil(spans / load.spansPerBatch);
  const apart = (DAY_MICROS / batches / load.spansPerBatch) * load.spansPerTrace;
  return {
    until,
    batches,
    spansPerBatch: load.spansPerBatch,
    batch: (n) => load.batch(until - DAY_MICROS + (DAY_MICROS * n) / batches, apart),
  };
}
