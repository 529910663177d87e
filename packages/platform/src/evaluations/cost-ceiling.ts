import type { CostStop } from "../registry/runs/cost-stop.ts";

/** What a run has spent, calls and judges together, and the most that it may. */
export class CostCeiling {
  readonly #most: number | undefined;
  #spent = 0;
  #stop: CostStop | undefined;

  constructor(most: number | undefined) {
    this.#most = most;
  }

  /** Undefined while the run may go on. */
  get stop(): CostStop | undefined {
    return this.#stop;
  }

  get spent(): number {
    return this.#spent;
  }

  /** @param cost In US dollars; null where it is unknown: it could be any, so a ceiling stops at it. */
  add(cost: number | null): void {
    this.#spent += cost ?? 0;
    if (this.#most === undefined) return;
    if (cost === null) this.#stop ??= "unknown";
    else if (this.#spent >= this.#most) this.#stop ??= "reached";
  }
}
