import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isDescriptorShortage } from "../../threads/spawn-thread.ts";
import {
  afterCheck,
  type ConditionLimits,
  conditionOf,
  type HealthAnswer,
  NO_MISSES,
  Patience,
  type ProcessCondition,
  WELL,
} from "./process-condition.ts";
import { askSocket, type BuildProcess } from "./start-build-process.ts";

export interface WatchLimits extends ConditionLimits {
  /** How often a process is asked for its health. */
  readonly everyMs: number;
  /** How long it may take to answer. */
  readonly patienceMs: number;
}

export const DEFAULT_MEMORY_BYTES = 1024 ** 3;

export const WATCH_LIMITS: WatchLimits = {
  everyMs: 5_000,
  // Two misses and a start are to take less than 15 s.
  patienceMs: 2_000,
  blockedMs: 60_000,
  memoryBytes: DEFAULT_MEMORY_BYTES,
};

/** How many ticks the patience of a check has. */
const TICKS = 20;
const MOST_HEALTH_BYTES = 1024 * 1024;

/** Asks a process for its health every few seconds, and looks at its memory, until it ends. */
export class ProcessWatch {
  readonly #process: BuildProcess;
  readonly #limits: WatchLimits;
  readonly #onChecked: (condition: ProcessCondition) => void;
  readonly #closed = new AbortController();
  #condition: ProcessCondition = WELL;
  #misses = NO_MISSES;
  #residentBytes: number | undefined;

  /**
   * @param limits Null: the process is not watched.
   * @param onChecked Called after every check, also where nothing has changed.
   */
  constructor(
    process: BuildProcess,
    limits: WatchLimits | null,
    onChecked: (condition: ProcessCondition) => void,
  ) {
    this.#process = process;
    this.#limits = limits ?? WATCH_LIMITS;
    this.#onChecked = onChecked;
    if (limits === null) return;
    void process.ended.then(() => this.close());
    void this.#checkUntilClosed();
  }

  /** As of the last check. */
  get condition(): ProcessCondition {
    return this.#condition;
  }

  /** As of the last check; undefined before the first, and where the system does not say. */
  get residentBytes(): number | undefined {
    return this.#residentBytes;
  }

  close(): void {
    this.#closed.abort();
  }

  async #checkUntilClosed(): Promise<void> {
    const { signal } = this.#closed;
    let pauseMs = this.#limits.everyMs;
    for (;;) {
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      const began = performance.now();
      await this.#check();
      pauseMs = Math.max(0, this.#limits.everyMs - (performance.now() - began));
    }
  }

  async #check(): Promise<void> {
    const { pid, socketPath } = this.#process;
    const { signal } = this.#closed;
    const [answer, resident] = await Promise.all([
      askHealth(socketPath, this.#limits.patienceMs, signal),
      residentBytes(pid),
    ]);
    if (signal.aborted) return;
    this.#residentBytes = resident;
    const now = performance.now();
    this.#misses = afterCheck(this.#misses, answer, now);
    this.#condition = conditionOf(this.#misses, resident, this.#limits, now);
    this.#onChecked(this.#condition);
  }
}

/** Asks once, on a connection of its own. Any answer is one, even an error: the process is not blocked. */
async function askHealth(
  socketPath: string,
  patienceMs: number,
  closed: AbortSignal,
): Promise<HealthAnswer> {
  const exhausted = new AbortController();
  const tickMs = patienceMs / TICKS;
  const patience = new Patience(TICKS, tickMs, performance.now());
  const ticker = setInterval(() => {
    if (patience.tick(performance.now())) exhausted.abort();
  }, tickMs).unref();
  const signal = AbortSignal.any([exhausted.signal, closed]);
  try {
    while (!signal.aborted) {
      try {
        await askSocket(socketPath, "/health", { signal, mostBytes: MOST_HEALTH_BYTES });
        return "answered";
      } catch (error) {
        if (isDescriptorShortage(error)) return "unknown";
        // Its queue of connections is full for a moment, or it does not listen any more.
        await delay(tickMs, undefined, { signal, ref: false }).catch(() => {});
      }
    }
    return "missed";
  } finally {
    clearInterval(ticker);
  }
}

/** The memory that a process holds; undefined where the system has no `/proc`, or the process is gone. */
async function residentBytes(pid: number): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
