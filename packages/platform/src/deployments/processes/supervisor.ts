import type { Lease, Service, ServiceUnavailable } from "../services.ts";
import { DrainingProcesses } from "./draining-processes.ts";
import { type DrainLimits, type LeasedProcess, WaitingRequests } from "./leases.ts";
import { ProcessSlot, type SupervisedBuild } from "./process-slot.ts";
import { WATCH_LIMITS, type WatchLimits } from "./process-watch.ts";
import type { BuildProcess } from "./start-build-process.ts";
import type { SupervisionEvent } from "./supervision-events.ts";

export interface SupervisorLimits extends DrainLimits {
  /** How long a request waits for a build that is being started. */
  readonly waitMs: number;
  /** A process that ran for this long was stable: its crash counts as the first. */
  readonly stableMs: number;
  /** How processes are watched; null: not at all. */
  readonly watch: WatchLimits | null;
}

const LIMITS: SupervisorLimits = {
  drainMs: 30_000,
  stopMs: 10_000,
  waitMs: 10_000,
  stableMs: 60_000,
  watch: WATCH_LIMITS,
};
/** For a stopping platform: shorter, so that the stop is not held up. */
const CLOSING: DrainLimits = { drainMs: 5_000, stopMs: 2_000 };
/** For a process that was replaced because it was unfit: its own calls are to end, if it recovers. */
const UNFIT_DRAIN_MS = 10 * 60_000;

type State =
  | { readonly kind: "none" }
  | { readonly kind: "asleep"; readonly build: SupervisedBuild }
  | { readonly kind: "active"; readonly build: SupervisedBuild; readonly slot: ProcessSlot };

/** Runs one build of an application at a time, and restarts it when it crashes. */
export class Supervisor implements Service {
  readonly application: { readonly id: string; readonly slug: string };
  readonly #emit: (event: SupervisionEvent) => void;
  readonly #limits: SupervisorLimits;
  readonly #waiting: WaitingRequests;
  readonly #draining = new DrainingProcesses();
  #state: State = { kind: "none" };
  #isClosed = false;

  /** @param onEvent Called with every change of a process, for the log. */
  constructor(
    application: { readonly id: string; readonly slug: string },
    onEvent: (event: SupervisionEvent) => void,
    limits: Partial<SupervisorLimits> = {},
  ) {
    this.application = application;
    this.#emit = onEvent;
    this.#limits = { ...LIMITS, ...limits };
    this.#waiting = new WaitingRequests(this.#limits.waitMs, () => this.#unavailable());
  }

  /** The number of the build that serves, or is being started to; undefined while there is none. */
  get build(): number | undefined {
    return this.#state.kind === "none" ? undefined : this.#state.build.number;
  }

  /** Whether the first start of its build has neither succeeded nor failed yet. */
  get isStarting(): boolean {
    const state = this.#state;
    return state.kind === "asleep" || (state.kind === "active" && !state.slot.hasSettled);
  }

  acquire(): Lease | Promise<Lease | ServiceUnavailable> {
    const state = this.#state;
    const serving = state.kind === "active" ? state.slot.serving : undefined;
    if (serving !== undefined) return serving.lease();
    this.wake();
    if (state.kind === "none" || this.#isPausedFor(this.#limits.waitMs)) {
      return Promise.resolve(this.#unavailable());
    }
    return this.#waiting.wait();
  }

  /**
   * Sends every new request to another process, from now on. The previous one ends when its last
   * request is answered, or when its drain time is over.
   *
   * @returns Resolves when it has ended, with the number of requests that were cut off.
   */
  switchTo(build: SupervisedBuild, process: BuildProcess): Promise<number> {
    if (this.#isClosed) return process.stop(0).then(() => 0);
    const before = this.#leave();
    this.#activate(build).serve(process);
    return this.#replaced(before);
  }

  /** For a build that was live when the platform stopped: the first request, or {@link wake}, starts it. */
  startLater(build: SupervisedBuild): void {
    if (this.#isClosed) return;
    const before = this.#leave();
    this.#state = { kind: "asleep", build };
    void this.#replaced(before);
  }

  /** Starts the build of {@link startLater} in the background. */
  wake(): void {
    if (this.#state.kind === "asleep") void this.#activate(this.#state.build).start();
  }

  /** Ends every process: running requests get a few seconds, new ones a 503. */
  async close(limits: DrainLimits = CLOSING): Promise<void> {
    this.#isClosed = true;
    const before = this.#leave();
    this.#waiting.reject();
    if (before !== undefined) void this.#drain(before.build, before.processes, limits);
    await this.#draining.close(limits);
  }

  /** Leaves the current state, but keeps its processes running. */
  #leave(): Replaced | undefined {
    const state = this.#state;
    this.#state = { kind: "none" };
    if (state.kind !== "active") return undefined;
    const leased = state.slot.leave();
    return leased && { build: state.build.number, processes: [leased] };
  }

  #activate(build: SupervisedBuild): ProcessSlot {
    const { watch, stableMs } = this.#limits;
    const slot: ProcessSlot = new ProcessSlot({
      build,
      watch,
      stableMs,
      emit: this.#emit,
      onServing: () => this.#grant(),
      onPaused: () => {
        if (this.#isPausedFor(this.#limits.waitMs)) this.#waiting.reject();
      },
      mayReplace: () => !this.#draining.hasUnfit,
      retire: (replaced) => {
        const limits = { ...this.#limits, drainMs: UNFIT_DRAIN_MS };
        void this.#drain(build.number, [replaced], limits);
      },
    });
    this.#state = { kind: "active", build, slot };
    return slot;
  }

  #grant(): void {
    const state = this.#state;
    const serving = state.kind === "active" ? state.slot.serving : undefined;
    if (serving !== undefined) this.#waiting.grant(() => serving.lease());
  }

  #replaced(before: Replaced | undefined): Promise<number> {
    if (before === undefined) return Promise.resolve(0);
    const { build, processes } = before;
    const leases = processes.reduce((sum, each) => sum + each.leases, 0);
    this.#emit({ kind: "draining", build, leases });
    return this.#drain(build, processes, this.#limits);
  }

  #drain(build: number, processes: readonly LeasedProcess[], limits: DrainLimits): Promise<number> {
    return this.#draining.add(processes, limits, (cutOff) =>
      this.#emit({ kind: "stopped", build, cutOff }),
    );
  }

  /** Whether no process is started within this time. */
  #isPausedFor(milliseconds: number): boolean {
    const state = this.#state;
    const pause = state.kind === "active" ? state.slot.pause : undefined;
    return pause !== undefined && pause.until - performance.now() > milliseconds;
  }

  #unavailable(): ServiceUnavailable {
    const state = this.#state;
    if (state.kind === "none") {
      const reason = `No build of ${this.application.slug} is live any more.`;
      return { kind: "unavailable", reason, retryAfterSeconds: 1 };
    }
    const build = `Build ${state.build.number} of ${this.application.slug}`;
    const pause = state.kind === "active" ? state.slot.pause : undefined;
    if (pause === undefined) {
      const reason = `${build} is being started.`;
      return { kind: "unavailable", reason, retryAfterSeconds: 1 };
    }
    const seconds = Math.max(1, Math.ceil((pause.until - performance.now()) / 1000));
    const reason = `${build} ${pause.fault} and restarts in ${seconds} s.`;
    return { kind: "unavailable", reason, retryAfterSeconds: seconds };
  }
}

/** The processes of a build that was replaced. */
interface Replaced {
  readonly build: number;
  readonly processes: readonly LeasedProcess[];
}
