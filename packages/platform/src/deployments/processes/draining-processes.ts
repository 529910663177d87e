import type { DrainLimits, LeasedProcess } from "./leases.ts";

/** The requests of processes that were replaced. */
export interface Drain {
  /** How many were still running when they were replaced. */
  readonly requests: number;
  /** Resolves when the processes have ended, with the number of requests that were cut off. */
  readonly ended: Promise<number>;
}

/** Processes that were replaced together. */
type Generation = readonly LeasedProcess[];

/** How many generations of processes may drain at the same time. */
const MOST_GENERATIONS = 2;

/** The processes of an environment that get no new requests, and end when their last one is answered. */
export class DrainingProcesses {
  /** Oldest first. */
  readonly #generations = new Set<Generation>();

  /** How many of their requests are still running. */
  get requests(): number {
    return requestsOf([...this.#generations].flat());
  }

  /** Whether one of them is blocked or too large. */
  get hasUnfit(): boolean {
    return [...this.#generations].flat().some(({ condition }) => condition.kind !== "well");
  }

  /**
   * Ends processes after their requests. Where two generations drain already, the older one is ended.
   *
   * @param onEnded Called once, with the number of requests that were cut off.
   * @returns that number.
   */
  async add(
    generation: Generation,
    limits: DrainLimits,
    onEnded: (cutOff: number) => void,
  ): Promise<number> {
    this.#generations.add(generation);
    const [oldest] = this.#generations;
    if (this.#generations.size > MOST_GENERATIONS && oldest !== undefined) {
      void retire(oldest, { ...limits, drainMs: 0 });
    }
    const cutOff = await retire(generation, limits);
    this.#generations.delete(generation);
    onEnded(cutOff);
    return cutOff;
  }

  /** Ends all of them within these limits. */
  async close(limits: DrainLimits): Promise<void> {
    await Promise.all([...this.#generations].map((generation) => retire(generation, limits)));
  }
}

/** How many requests processes have. */
export function requestsOf(processes: readonly LeasedProcess[]): number {
  return processes.reduce((sum, { leases }) => sum + leases, 0);
}

async function retire(generation: Generation, limits: DrainLimits): Promise<number> {
  const cutOff = await Promise.all(
    generation.map((leased) => {
      const drainMs = Math.min(limits.drainMs, longestCallMs(leased.process.openapi));
      return leased.retire({ ...limits, drainMs });
    }),
  );
  return cutOff.reduce((sum, each) => sum + each, 0);
}

/** How long a call may take whose route has no time-out of its own. */
export const LONGEST_CALL_MS = 10 * 60_000;
/** What the gateway gives a route on top of its time-out, so that the route's own answer comes first. */
const GATEWAY_GRACE_MS = 5_000;

/** The longest that a call of a workflow may take, by the time-outs of its routes (`x-ag-timeout`). */
export function longestCallMs(openapi: unknown): number {
  const timeouts = operationsOf(openapi).map((operation) => operation["x-ag-timeout"]);
  if (timeouts.length === 0) return LONGEST_CALL_MS;
  const longest = timeouts.reduce((most: number, timeout) => {
    const isGiven = typeof timeout === "number" && timeout > 0;
    return Math.max(most, isGiven ? timeout + GATEWAY_GRACE_MS : LONGEST_CALL_MS);
  }, 0);
  return Math.min(longest, LONGEST_CALL_MS);
}

/** Those that are routes of the workflow. */
function operationsOf(openapi: unknown): readonly Readonly<Record<string, unknown>>[] {
  const membersOf = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null ? Object.values(value) : [];
  const { paths } = (openapi ?? {}) as { readonly paths?: unknown };
  return membersOf(paths)
    .flatMap(membersOf)
    .filter((each): each is Record<string, unknown> => {
      return typeof each === "object" && each !== null && "x-ag-route" in each;
    });
}
