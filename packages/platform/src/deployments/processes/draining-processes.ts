import type { DrainLimits, LeasedProcess } from "./leases.ts";

/** Processes that were replaced together. */
type Generation = readonly LeasedProcess[];

/** How many generations of processes may drain at the same time. */
const MOST_GENERATIONS = 2;

/** The processes of an environment that get no new requests, and end when their last one is answered. */
export class DrainingProcesses {
  /** Oldest first. */
  readonly #generations = new Set<Generation>();

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

async function retire(generation: Generation, limits: DrainLimits): Promise<number> {
  const cutOff = await Promise.all(generation.map((leased) => leased.retire(limits)));
  return cutOff.reduce((sum, each) => sum + each, 0);
}
