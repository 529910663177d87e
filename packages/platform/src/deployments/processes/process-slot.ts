import { LeasedProcess } from "./leases.ts";
import type { ProcessCondition } from "./process-condition.ts";
import type { WatchLimits } from "./process-watch.ts";
import type { ProcessEnd } from "./spawn-build.ts";
import type { BuildProcess, StartFailure } from "./start-build-process.ts";
import type { SupervisionEvent } from "./supervision-events.ts";

/** A build, and how a process of it is started. */
export interface SupervisedBuild {
  readonly number: number;
  start(signal: AbortSignal): Promise<BuildProcess | StartFailure>;
}

export interface SlotOptions {
  readonly build: SupervisedBuild;
  /** Null: its processes are not watched. */
  readonly watch: WatchLimits | null;
  /** A process that ran for this long was stable: its crash counts as the first. */
  readonly stableMs: number;
  readonly emit: (event: SupervisionEvent) => void;
  /** A process of the slot serves from now on. */
  readonly onServing: () => void;
  /** None does, and the next start has to wait. */
  readonly onPaused: () => void;
  /** Whether an unfit process may be replaced now. */
  readonly mayReplace: () => boolean;
  /** Ends a process that was replaced because it was unfit, after its requests. */
  readonly retire: (replaced: LeasedProcess) => void;
}

interface Current {
  readonly leased: LeasedProcess;
  readonly since: number;
  /** Why it gets no more requests, and is being killed. */
  readonly fault?: string;
}

/** While the next start of a slot has to wait. */
export interface SlotPause {
  readonly until: number;
  readonly timer: NodeJS.Timeout;
  /** "has crashed", "could not be started" */
  readonly fault: string;
}

/**
 * Keeps one process of a build running: restarts it when it crashes, and starts another one beside it
 * when it is unfit.
 */
export class ProcessSlot {
  readonly #options: SlotOptions;
  #current: Current | undefined;
  #starting: AbortController | undefined;
  #pause: SlotPause | undefined;
  /** Crashes and failed starts since the build last ran stably. */
  #failures = 0;
  #hasSettled = false;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  /** Whether its first start has succeeded or failed. */
  get hasSettled(): boolean {
    return this.#hasSettled;
  }

  /** The process for new requests. */
  get serving(): LeasedProcess | undefined {
    return this.#current?.fault === undefined ? this.#current?.leased : undefined;
  }

  /** Undefined while a process serves or is being started. */
  get pause(): SlotPause | undefined {
    return this.#pause;
  }

  /** Whether a process is being started in place of one that is unfit. */
  get isReplacing(): boolean {
    return this.#current !== undefined && this.#starting !== undefined;
  }

  /** Sends requests to this process. A slot that has none starts one by {@link start}. */
  serve(process: BuildProcess): void {
    const leased: LeasedProcess = new LeasedProcess(process, {
      watch: this.#options.watch,
      onUnreachable: () => this.#kill(leased, "It stopped listening."),
      onChecked: (condition) => this.#onChecked(leased, condition),
    });
    const before = this.#current;
    this.#current = { leased, since: performance.now() };
    this.#hasSettled = true;
    this.#emit({ kind: "serving", pid: process.pid });
    void process.ended.then((end) => this.#onProcessEnd(leased, end));
    this.#options.onServing();
    if (before !== undefined) this.#options.retire(before.leased);
  }

  async start(): Promise<void> {
    const abort = new AbortController();
    this.#starting = abort;
    this.#pause = undefined;
    const started = await this.#options.build.start(abort.signal).catch(unexpected);
    if (this.#starting !== abort) {
      // Called off meanwhile.
      if (started.kind === "running") await started.stop(0);
      return;
    }
    this.#starting = undefined;
    this.#hasSettled = true;
    if (started.kind === "running") this.serve(started);
    else if (this.#current === undefined) {
      const inMs = this.#restart("could not be started");
      this.#emit({ kind: "start-failed", failure: started, inMs });
    } else {
      // Its next missed check tries again.
      const { pid } = this.#current.leased.process;
      this.#emit({ kind: "replacement-failed", pid, failure: started });
    }
  }

  /** Starts nothing any more. @returns its process, which keeps running. */
  leave(): LeasedProcess | undefined {
    this.#callOff();
    clearTimeout(this.#pause?.timer);
    this.#pause = undefined;
    const leased = this.#current?.leased;
    this.#current = undefined;
    return leased;
  }

  #onChecked(leased: LeasedProcess, condition: ProcessCondition): void {
    const { pid } = leased.process;
    const isCurrent = this.#current?.leased === leased;
    if (condition.kind === "hopeless") {
      if (!isCurrent) this.#emit({ kind: "killed", pid, reason: condition.reason });
      this.#kill(leased, `It ${condition.reason}.`);
    } else if (isCurrent && condition.kind === "well" && this.isReplacing) {
      this.#callOff();
      this.#emit({ kind: "recovered", pid });
    } else if (isCurrent && condition.kind === "unfit" && !this.isReplacing) {
      if (!this.#options.mayReplace()) return;
      this.#emit({ kind: "replacing", pid, reason: condition.reason });
      void this.start();
    }
  }

  /** Makes requests wait for a restart, instead of failing one by one. */
  #kill(leased: LeasedProcess, fault: string): void {
    if (this.#current?.leased === leased) {
      if (this.#current.fault !== undefined) return;
      this.#current = { ...this.#current, fault };
    }
    void leased.kill();
  }

  /** Restarts the build if the process that ended was the serving one. */
  #onProcessEnd(leased: LeasedProcess, end: ProcessEnd): void {
    const current = this.#current;
    if (current?.leased !== leased) return;
    if (performance.now() - current.since >= this.#options.stableMs) this.#failures = 0;
    this.#current = undefined;
    const inMs = this.#restart("has crashed");
    const reason = current.fault ?? end.reason;
    this.#emit({ kind: "crashed", reason, log: end.log, inMs });
  }

  #restart(fault: string): number {
    this.#failures++;
    // One that is being started in place of an unfit process.
    if (this.#starting !== undefined) return 0;
    const inMs = restartDelay(this.#failures, Math.random());
    const timer = setTimeout(() => void this.start(), inMs);
    this.#pause = { until: performance.now() + inMs, timer, fault };
    this.#options.onPaused();
    return inMs;
  }

  #callOff(): void {
    const starting = this.#starting;
    this.#starting = undefined;
    starting?.abort();
  }

  #emit(event: EventOfBuild): void {
    this.#options.emit({ ...event, build: this.#options.build.number } as SupervisionEvent);
  }
}

/** An event, but for the number of the slot's build. */
type EventOfBuild = WithoutBuild<SupervisionEvent>;
type WithoutBuild<Event> = Event extends unknown ? Omit<Event, "build"> : never;

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;

/**
 * The back-off before a build is restarted: none after the first failure, as most crashes happen once;
 * then exponential, with jitter, so that not all applications restart at the same moment.
 *
 * @param failures Crashes and failed starts since the build last ran stably; at least 1.
 * @param random From 0 up to 1.
 */
export function restartDelay(failures: number, random: number): number {
  if (failures <= 1) return 0;
  const longest = Math.min(FIRST_DELAY_MS * 2 ** (failures - 2), LONGEST_DELAY_MS);
  return Math.round(longest * (0.5 + random / 2));
}

/** The process could not be spawned: too many open files, a full disk. May be transient. */
function unexpected(error: unknown): StartFailure {
  const message = error instanceof Error ? error.message : String(error);
  const reason = `It could not be started: ${message.replace(/\.$/, "")}.`;
  return { kind: "failed", cause: "ended", reason, log: [] };
}
