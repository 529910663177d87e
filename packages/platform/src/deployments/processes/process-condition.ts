/** How fit a process is for calls. */
export type ProcessCondition =
  | { readonly kind: "well" }
  /** Another process is to take new calls; this one may finish those that it has. */
  | { readonly kind: "unfit"; readonly reason: string }
  /** It is to be killed. */
  | { readonly kind: "hopeless"; readonly reason: string };

export const WELL: ProcessCondition = { kind: "well" };

/** The health checks in a row that a process has missed. */
export interface Misses {
  readonly count: number;
  /** When the first of them was over. */
  readonly since: number;
}

export const NO_MISSES: Misses = { count: 0, since: 0 };

/** `unknown`: the platform itself could not ask, which says nothing about the process. */
export type HealthAnswer = "answered" | "missed" | "unknown";

export interface ConditionLimits {
  /** A process that misses its checks is killed this long after the first miss. */
  readonly blockedMs: number;
  /** The resident size beyond which a process is replaced; null: not watched. */
  readonly memoryBytes: number | null;
}

/** One miss may be a long computation or a garbage collection. */
const MISSES_TO_REPLACE = 2;
/** How many times its memory limit a process may use until it is killed. */
const KILLED_AT = 1.25;

/** The misses after another check. */
export function afterCheck(before: Misses, answer: HealthAnswer, now: number): Misses {
  if (answer === "unknown") return before;
  if (answer === "answered") return NO_MISSES;
  return { count: before.count + 1, since: before.count === 0 ? now : before.since };
}

/** @param residentBytes Undefined where the system does not say. */
export function conditionOf(
  misses: Misses,
  residentBytes: number | undefined,
  limits: ConditionLimits,
  now: number,
): ProcessCondition {
  const memory = limits.memoryBytes ?? Number.POSITIVE_INFINITY;
  const resident = residentBytes ?? 0;
  if (resident > KILLED_AT * memory) {
    const reason = `uses ${megabytes(resident)} of memory, more than ${KILLED_AT} times its limit of ${megabytes(memory)}`;
    return { kind: "hopeless", reason };
  }
  if (misses.count >= MISSES_TO_REPLACE) {
    const seconds = Math.round((now - misses.since) / 1000);
    const isOver = now - misses.since >= limits.blockedMs;
    return isOver
      ? { kind: "hopeless", reason: `did not answer GET /health for ${seconds} s` }
      : { kind: "unfit", reason: `has missed ${misses.count} health checks in a row` };
  }
  if (resident > memory) {
    const reason = `uses ${megabytes(resident)} of memory, more than its limit of ${megabytes(memory)}`;
    return { kind: "unfit", reason };
  }
  return WELL;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}

/**
 * The patience of a health check, in ticks of this process's own timer. A tick that comes late does not
 * count: then the platform, or the whole machine, is too busy to tell whether another process is.
 */
export class Patience {
  readonly #tickMs: number;
  #left: number;
  #last: number;

  constructor(ticks: number, tickMs: number, now: number) {
    this.#left = ticks;
    this.#tickMs = tickMs;
    this.#last = now;
  }

  /** To be called every `tickMs`. @returns whether it is exhausted. */
  tick(now: number): boolean {
    const late = now - this.#last - this.#tickMs;
    this.#last = now;
    if (late <= this.#tickMs) this.#left--;
    return this.#left <= 0;
  }
}
