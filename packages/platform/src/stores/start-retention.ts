import { setImmediate as nextTurn } from "node:timers/promises";
import { PollLoop } from "./poll-loop.ts";
import type { SpanStore } from "./span-store.ts";

export type RetentionReport =
  /** `more`: the round ended at its limit, and the next one continues. */
  | { readonly deleted: number; readonly more?: true }
  | { readonly failed: unknown }
  /** The clock may be wrong: nothing is deleted until the server restarts. */
  | { readonly held: string };

export interface RetentionLimits {
  /** Traces that one round deletes at most. */
  readonly perRound: number;
  /** Milliseconds since 1970: the clock that arrivals are counted from. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, which cannot be set. */
  readonly elapsed: () => number;
}

const LIMITS: RetentionLimits = {
  perRound: 200_000,
  now: () => Date.now(),
  elapsed: () => performance.now(),
};

/** Traces deleted in one step; other work runs between steps. */
const TRACES_PER_STEP = 50;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Smaller jumps (a clock correction, a suspended machine) delete only little too early. */
const SMALLEST_JUMP_MS = 60 * 60_000;
/** A shorter time without new spans does not count as a wrong clock. */
const SHORTEST_SILENCE_MS = 24 * 60 * 60_000;

/**
 * Deletes traces once they have been kept for long enough: now, and then every minute, or sooner where a
 * minute would be more than a tenth of that time.
 *
 * A clock that jumps forward makes everything look old. Retention detects that and stops: while it runs, by
 * comparing with a monotonic clock; at its start, if it would delete all traces because nothing has arrived
 * for longer than they are kept.
 *
 * @param keepMs How long a trace stays, counted from the arrival of its last span.
 * @param report Told what a round did.
 * @returns Stops retention; resolves when the current round has ended.
 */
export function startRetention(
  store: Pick<SpanStore, "expire" | "newestArrival">,
  keepMs: number,
  report: (round: RetentionReport) => void,
  limits: Partial<RetentionLimits> = {},
): () => Promise<void> {
  const { perRound, now, elapsed } = { ...LIMITS, ...limits };
  const pauseMs = Math.min(Math.max(keepMs / 10, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
  let last: { readonly now: number; readonly elapsed: number } | undefined;

  const suspicion = async (time: number): Promise<string | undefined> => {
    const before = last;
    const reason = before === undefined ? await silence(time) : undefined;
    last = { now: time, elapsed: elapsed() };
    if (before === undefined) return reason;
    const jumped = time - before.now - (last.elapsed - before.elapsed);
    if (jumped <= Math.max(SMALLEST_JUMP_MS, keepMs / 10)) return undefined;
    return `The clock jumped forward by ${describeTime(jumped)}. Retention deletes nothing until the server is restarted: correct the clock first if it is wrong.`;
  };
  const silence = async (time: number): Promise<string | undefined> => {
    const newest = await store.newestArrival();
    const silentMs = newest === null ? 0 : time - newest / 1000;
    if (silentMs <= Math.max(keepMs, SHORTEST_SILENCE_MS)) return undefined;
    return `Nothing has arrived for ${describeTime(silentMs)}, so retention would delete every trace. It deletes nothing, as the clock may be wrong: correct it, or restart the server once a span has arrived.`;
  };
  const round = async (signal: AbortSignal): Promise<number | "end"> => {
    try {
      const held = await suspicion(now());
      if (held !== undefined) {
        report({ held });
        return "end";
      }
      let deleted = 0;
      for (
        let step = TRACES_PER_STEP;
        step === TRACES_PER_STEP && !signal.aborted;
        deleted += step
      ) {
        if (deleted >= perRound) {
          report({ deleted, more: true });
          return pauseMs;
        }
        step = await store.expire((now() - keepMs) * 1000, TRACES_PER_STEP);
        await nextTurn();
      }
      if (deleted > 0) report({ deleted });
    } catch (error) {
      // The next round retries: a full disk or a restart of the database is transient.
      report({ failed: error });
    }
    return pauseMs;
  };
  const loop = new PollLoop(round);
  return () => loop.stop();
}

/** @example describeTime(3 * 86_400_000) // "3 days" */
function describeTime(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
