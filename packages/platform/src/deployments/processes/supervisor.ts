import type { BuildProcess, ProcessEnd, StartFailure } from "../build-process.ts";
import type { Lease, Service, ServiceUnavailable } from "../service.ts";
import { type DrainLimits, LeasedProcess } from "./leased-process.ts";
import { restartDelay } from "./restart-delay.ts";
import type { SupervisionEvent } from "./supervision-event.ts";
import { WaitingRoom } from "./waiting-room.ts";

/** A build, and how a process of it is started. */
export interface SupervisedBuild {
  readonly number: number;
  start(signal: AbortSignal): Promise<BuildProcess | StartFailure>;
}

export interface SupervisorLimits extends DrainLimits {
  /** How long a request waits for a build that is being started. */
  readonly waitMs: number;
  /** A process that ran for so long ran well: its crash counts as the first. */
  readonly stableMs: number;
}

const LIMITS: SupervisorLimits = {
  drainMs: 30_000,
  stopMs: 10_000,
  waitMs: 10_000,
  stableMs: 60_000,
};
/** For the end of the platform, which nobody wants to wait for. */
const CLOSING: DrainLimits = { drainMs: 5_000, stopMs: 2_000 };

type State =
  | { readonly kind: "none" }
  | { readonly kind: "asleep"; readonly build: SupervisedBuild }
  | { readonly kind: "starting"; readonly build: SupervisedBuild; readonly abort: AbortController }
  | {
      readonly kind: "serving";
      readonly build: SupervisedBuild;
      readonly leased: LeasedProcess;
      readonly since: number;
      /** It does not listen any more and is being killed. */
      readonly isLost: boolean;
    }
  | {
      readonly kind: "pausing";
      readonly build: SupervisedBuild;
      readonly until: number;
      readonly timer: NodeJS.Timeout;
      /** "has crashed", "could not be started" */
      readonly fault: string;
    };

/** Keeps an application served: one build at a time, started again when it crashes. */
export class Supervisor implements Service {
  readonly application: { readonly id: string; readonly slug: string };
  readonly #tell: (event: SupervisionEvent) => void;
  readonly #limits: SupervisorLimits;
  readonly #waiting: WaitingRoom;
  /** What was replaced and has not ended yet. */
  readonly #retiring = new Map<LeasedProcess, number>();
  #state: State = { kind: "none" };
  /** Crashes and failed starts since the build last ran well. */
  #failures = 0;
  #isClosed = false;

  /** @param onEvent Told what becomes of the processes, for the log. */
  constructor(
    application: { readonly id: string; readonly slug: string },
    onEvent: (event: SupervisionEvent) => void,
    limits: Partial<SupervisorLimits> = {},
  ) {
    this.application = application;
    this.#tell = onEvent;
    this.#limits = { ...LIMITS, ...limits };
    this.#waiting = new WaitingRoom(this.#limits.waitMs, () => this.#unavailable());
  }

  /** The number of the build that serves, or is being started to; undefined while there is none. */
  get build(): number | undefined {
    return this.#state.kind === "none" ? undefined : this.#state.build.number;
  }

  /** Whether the first start of its build has neither succeeded nor failed yet. */
  get isStarting(): boolean {
    const { kind } = this.#state;
    return (kind === "asleep" || kind === "starting") && this.#failures === 0;
  }

  acquire(): Lease | Promise<Lease | ServiceUnavailable> {
    const state = this.#state;
    if (state.kind === "serving" && !state.isLost) return state.leased.lease();
    this.wake();
    if (state.kind === "none") return Promise.resolve(this.#unavailable());
    if (state.kind === "pausing" && state.until - performance.now() > this.#limits.waitMs) {
      return Promise.resolve(this.#unavailable());
    }
    return this.#waiting.enter();
  }

  /**
   * Sends every new request to another process, from this moment on. What served before ends when
   * its last request is answered, or when time is up.
   *
   * @returns Resolves when it has ended, with the number of requests that were broken off.
   */
  switchTo(build: SupervisedBuild, process: BuildProcess): Promise<number> {
    if (this.#isClosed) return process.stop(0).then(() => 0);
    const before = this.#leave();
    this.#failures = 0;
    this.#serve(build, process);
    return this.#replaced(before);
  }

  /** For a build that served when the platform ended: it is started when somebody asks for it. */
  startLater(build: SupervisedBuild): void {
    if (this.#isClosed) return;
    const before = this.#leave();
    this.#failures = 0;
    this.#state = { kind: "asleep", build };
    void this.#replaced(before);
  }

  /** Starts what {@link startLater} has left for later, and does not wait for it. */
  wake(): void {
    if (this.#state.kind === "asleep") void this.#start(this.#state.build);
  }

  /** Ends every process: requests under way have a few seconds, new ones are told to come back. */
  async close(limits: DrainLimits = CLOSING): Promise<void> {
    this.#isClosed = true;
    const before = this.#leave();
    this.#waiting.refuse();
    if (before.kind === "serving") this.#retiring.set(before.leased, before.build.number);
    const left = [...this.#retiring];
    await Promise.all(left.map(([leased, build]) => this.#retire(leased, build, limits)));
  }

  /** Ends what the present state has under way, but for its process. @returns the state that was. */
  #leave(): State {
    const state = this.#state;
    if (state.kind === "starting") state.abort.abort();
    if (state.kind === "pausing") clearTimeout(state.timer);
    this.#state = { kind: "none" };
    return state;
  }

  #serve(build: SupervisedBuild, process: BuildProcess): void {
    const leased = new LeasedProcess(process, () => this.#lose(leased));
    this.#state = { kind: "serving", build, leased, since: performance.now(), isLost: false };
    this.#tell({ kind: "serving", build: build.number, pid: process.pid });
    void process.ended.then((end) => this.#recover(leased, end));
    this.#waiting.admit(() => leased.lease());
  }

  /** Requests wait from here on, instead of finding out one by one. */
  #lose(leased: LeasedProcess): void {
    const state = this.#state;
    if (state.kind !== "serving" || state.leased !== leased || state.isLost) return;
    this.#state = { ...state, isLost: true };
    void leased.process.stop(0);
  }

  /** A process has ended. Where it was the one that serves, it is started again. */
  #recover(leased: LeasedProcess, end: ProcessEnd): void {
    const state = this.#state;
    if (state.kind !== "serving" || state.leased !== leased) return;
    if (performance.now() - state.since >= this.#limits.stableMs) this.#failures = 0;
    const { build, isLost } = state;
    const reason = isLost ? "It did not listen any more." : end.reason;
    const inMs = this.#startAgain(build, "has crashed");
    this.#tell({ kind: "crashed", build: build.number, reason, log: end.log, inMs });
  }

  #startAgain(build: SupervisedBuild, fault: string): number {
    this.#failures++;
    const inMs = restartDelay(this.#failures, Math.random());
    const timer = setTimeout(() => void this.#start(build), inMs);
    this.#state = { kind: "pausing", build, until: performance.now() + inMs, timer, fault };
    if (inMs > this.#limits.waitMs) this.#waiting.refuse();
    return inMs;
  }

  async #start(build: SupervisedBuild): Promise<void> {
    const abort = new AbortController();
    const mine: State = { kind: "starting", build, abort };
    this.#state = mine;
    const started = await build.start(abort.signal).catch(unexpected);
    if (this.#state !== mine) {
      // Another took its place meanwhile.
      if (started.kind === "running") await started.stop(0);
      return;
    }
    if (started.kind === "running") {
      this.#serve(build, started);
      return;
    }
    const inMs = this.#startAgain(build, "could not be started");
    this.#tell({ kind: "start-failed", build: build.number, failure: started, inMs });
  }

  #replaced(before: State): Promise<number> {
    if (before.kind !== "serving") return Promise.resolve(0);
    const { build, leased } = before;
    this.#tell({ kind: "draining", build: build.number, leases: leased.leases });
    return this.#retire(leased, build.number, this.#limits);
  }

  async #retire(leased: LeasedProcess, build: number, limits: DrainLimits): Promise<number> {
    this.#retiring.set(leased, build);
    const brokenOff = await leased.retire(limits);
    // Closing retires what is retiring already: the end is told once.
    if (this.#retiring.delete(leased)) this.#tell({ kind: "stopped", build, brokenOff });
    return brokenOff;
  }

  #unavailable(): ServiceUnavailable {
    const state = this.#state;
    if (state.kind === "none") {
      const reason = `No build of ${this.application.slug} is served any more.`;
      return { kind: "unavailable", reason, retryAfterSeconds: 1 };
    }
    const build = `Build ${state.build.number} of ${this.application.slug}`;
    if (state.kind !== "pausing") {
      const reason = `${build} is being started.`;
      return { kind: "unavailable", reason, retryAfterSeconds: 1 };
    }
    const seconds = Math.max(1, Math.ceil((state.until - performance.now()) / 1000));
    const reason = `${build} ${state.fault} and is started again in ${seconds} s.`;
    return { kind: "unavailable", reason, retryAfterSeconds: seconds };
  }
}

/** Not even a process could be made: too many open files, a full disk. It may pass. */
function unexpected(error: unknown): StartFailure {
  const message = error instanceof Error ? error.message : String(error);
  const reason = `It could not be started: ${message.replace(/\.$/, "")}.`;
  return { kind: "failed", cause: "ended", reason, log: [] };
}
