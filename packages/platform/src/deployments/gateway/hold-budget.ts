const MIB = 1024 ** 2;

export interface HoldLimits {
  /** Of one body. */
  readonly eachBytes: number;
  /** Of all bodies together. */
  readonly allBytes: number;
  /** How long a request waits for its turn. */
  readonly waitMs: number;
  /** Requests that may wait. */
  readonly mostWaiting: number;
}

const LIMITS: HoldLimits = {
  eachBytes: 10 * MIB,
  allBytes: 64 * MIB,
  waitMs: 30_000,
  mostWaiting: 1_000,
};

interface Turn {
  readonly bytes: number;
  readonly timer: NodeJS.Timeout;
  readonly onOutcome: (isGranted: boolean) => void;
}

/**
 * The memory for bodies that are held back until they name their environment. What a body may need
 * is taken at once: two that each have half of it could otherwise wait for one another.
 */
export class HoldBudget {
  readonly limits: HoldLimits;
  readonly #waiting = new Set<Turn>();
  #free: number;

  constructor(limits: Partial<HoldLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
    this.#free = this.limits.allBytes;
  }

  /** @returns whether there was room, and nothing waits for it. Give it back with {@link give}. */
  take(bytes: number): boolean {
    if (this.#waiting.size > 0 || bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  /**
   * Waits until there is room, first come, first served.
   *
   * @param onOutcome Called later: true when the bytes were taken, false when the wait was too long.
   * @returns how to stop waiting; undefined where too many wait already.
   */
  wait(bytes: number, onOutcome: (isGranted: boolean) => void): (() => void) | undefined {
    if (this.#waiting.size >= this.limits.mostWaiting) return undefined;
    const leave = () => {
      clearTimeout(turn.timer);
      this.#waiting.delete(turn);
      // It may have been the first, and too large for what smaller ones fit into.
      this.#grant();
    };
    const timer = setTimeout(() => {
      leave();
      onOutcome(false);
    }, this.limits.waitMs);
    const turn: Turn = { bytes, timer, onOutcome };
    this.#waiting.add(turn);
    return leave;
  }

  give(bytes: number): void {
    this.#free += bytes;
    this.#grant();
  }

  #grant(): void {
    for (const turn of this.#waiting) {
      if (turn.bytes > this.#free) return;
      this.#free -= turn.bytes;
      this.#waiting.delete(turn);
      clearTimeout(turn.timer);
      turn.onOutcome(true);
    }
  }
}
