import type { AdaptiveLimit } from "./adaptive-limit.ts";

/** A model was busy. */
export interface Overloaded {
  /** When it wants to be asked again, where it said so. */
  readonly retryAfterMs?: number | undefined;
}

/** How often a call is repeated: a quota that is used up answers like a busy model, for days. */
export const MOST_REPEATS = 8;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export interface RepeatOptions {
  readonly limit: AdaptiveLimit;
  /** Aborted to give up waiting; running attempts end first. */
  readonly signal: AbortSignal;
  /** From 0 to 1: calls that were refused together do not come back together. */
  readonly random: () => number;
  /** Resolves after so many milliseconds; earlier where the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Makes attempts until one is not overloaded, at most so often. Returns the last one, or `"stopped"`
 * where the run was stopped while it waited for the next.
 */
export async function repeatOverloaded<T>(
  attempt: () => Promise<T>,
  overloadIn: (made: T) => Overloaded | undefined,
  { limit, signal, random, wait }: RepeatOptions,
): Promise<T | "stopped"> {
  for (let repeats = 0; ; repeats++) {
    const round = await limit.acquire();
    let overload: Overloaded | undefined;
    let made: T;
    try {
      made = await attempt();
      overload = overloadIn(made);
    } finally {
      limit.release(round, overload === undefined ? "done" : "overloaded");
    }
    if (overload === undefined || repeats === MOST_REPEATS) return made;
    await wait(waitOf(repeats, overload, random()), signal);
    if (signal.aborted) return "stopped";
  }
}

function waitOf(repeats: number, { retryAfterMs }: Overloaded, random: number): number {
  const backOff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** repeats) * (0.5 + random / 2);
  return retryAfterMs === undefined ? backOff : Math.max(retryAfterMs, backOff);
}
