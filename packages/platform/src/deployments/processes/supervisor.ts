import type { Lease, Service, ServiceUnavailable } from "../services.ts";
import { type DrainLimits, LeasedProcess, WaitingRequests } from "./leases.ts";
import type { ProcessEnd } from "./spawn-build.ts";
import type { BuildProcess, StartFailure } from "./start-build-process.ts";

/** A build, and how a process of it is started. */
export interface SupervisedBuild {
  readonly number: number;
  start(signal: AbortSignal): Promise<BuildProcess | StartFailure>;
}

export interface SupervisorLimits extends DrainLimits {
  /** How long a request waits for a build that is being started. */
  readonly waitMs: number;
  /** A process that ran for this long was stable: its crash counts as the first. */
  readonly stableMs: number;
}

const LIMITS: SupervisorLimits = {
  drainMs: 30_000,
  stopMs: 10_000,
  waitMs: 10_000,
  stableMs: 60_000,
};
/** For a stopping platform: shorter, so that the stop is not held up. */
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
      /** It no longer listens, and is being killed. */
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

/** Runs one build of an application at a time, and restarts it when it crashes. */
export class Supervisor implements Service {
  readonly application: { readonly id: string; readonly slug: string };
  readonly #emit: (event: SupervisionEvent) => void;
  readonly #limits: SupervisorLimits;
  readonly #waiting: WaitingRequests;
  /** Processes that were replaced and still drain, with their build numbers. */
  readonly #retiring = new Map<LeasedProcess, number>();
  #state: State = { kind: "none" };
  /** Crashes and failed starts since the build last ran stably. */
  #failures = 0;
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
    this.#failures = 0;
    this.#serve(build, process);
    return this.#replaced(before);
  }

  /** For a build that was live when the platform stopped: the first request, or {@link wake}, starts it. */
  startLater(build: SupervisedBuild): void {
    if (this.#isClosed) return;
    const before = this.#leave();
    this.#failures = 0;
    this.#state = { kind: "asleep", build };
    void this.#replaced(before);
  }

  /** Starts the build of {@link startLater} in the background. */
  wake(): void {
    if (this.#state.kind === "asleep") void this.#start(this.#state.build);
  }

  /** Ends every process: running requests get a few seconds, new ones a 503. */
  async close(limits: DrainLimits = CLOSING): Promise<void> {
    this.#isClosed = true;
    const before = this.#leave();
    this.#waiting.reject();
    if (before.kind === "serving") this.#retiring.set(before.leased, before.build.number);
    const left = [...this.#retiring];
    await Promise.all(left.map(([leased, build]) => this.#retire(leased, build, limits)));
  }

  /** Leaves the current state, but keeps its process running. @returns that state. */
  #leave(): State {
    const state = this.#state;
    if (state.kind === "starting") state.abort.abort();
    if (state.kind === "pausing") clearTimeout(state.timer);
    this.#state = { kind: "none" };
    return state;
  }

  #serve(build: SupervisedBuild, process: BuildProcess): void {
    const leased = new LeasedProcess(process, () => this.#markUnreachable(leased));
    this.#state = { kind: "serving", build, leased, since: performance.now(), isLost: false };
    this.#emit({ kind: "serving", build: build.number, pid: process.pid });
    void process.ended.then((end) => this.#onProcessEnd(leased, end));
    this.#waiting.grant(() => leased.lease());
  }

  /** Makes requests wait for a restart, instead of failing one by one. */
  #markUnreachable(leased: LeasedProcess): void {
    const state = this.#state;
    if (state.kind !== "serving" || state.leased !== leased || state.isLost) return;
    this.#state = { ...state, isLost: true };
    void leased.process.stop(0);
  }

  /** Restarts the build if the process that ended was the serving one. */
  #onProcessEnd(leased: LeasedProcess, end: ProcessEnd): void {
    const state = this.#state;
    if (state.kind !== "serving" || state.leased !== leased) return;
    if (performance.now() - state.since >= this.#limits.stableMs) this.#failures = 0;
    const { build, isLost } = state;
    const reason = isLost ? "It stopped listening." : end.reason;
    const inMs = this.#restart(build, "has crashed");
    this.#emit({ kind: "crashed", build: build.number, reason, log: end.log, inMs });
  }

  #restart(build: SupervisedBuild, fault: string): number {
    this.#failures++;
    const inMs = restartDelay(this.#failures, Math.random());
    const timer = setTimeout(() => void this.#start(build), inMs);
    this.#state = { kind: "pausing", build, until: performance.now() + inMs, timer, fault };
    if (inMs > this.#limits.waitMs) this.#waiting.reject();
    return inMs;
  }

  async #start(build: SupervisedBuild): Promise<void> {
    const abort = new AbortController();
    const mine: State = { kind: "starting", build, abort };
    this.#state = mine;
    const started = await build.start(abort.signal).catch(unexpected);
    if (this.#state !== mine) {
      // Another build has taken its place meanwhile.
      if (started.kind === "running") await started.stop(0);
      return;
    }
    if (started.kind === "running") {
      this.#serve(build, started);
      return;
    }
    const inMs = this.#restart(build, "could not be started");
    this.#emit({ kind: "start-failed", build: build.number, failure: started, inMs });
  }

  #replaced(before: State): Promise<number> {
    if (before.kind !== "serving") return Promise.resolve(0);
    const { build, leased } = before;
    this.#emit({ kind: "draining", build: build.number, leases: leased.leases });
    return this.#retire(leased, build.number, this.#limits);
  }

  async #retire(leased: LeasedProcess, build: number, limits: DrainLimits): Promise<number> {
    this.#retiring.set(leased, build);
    const cutOff = await leased.retire(limits);
    // close() also retires processes that already drain: the event is emitted once.
    if (this.#retiring.delete(leased)) this.#emit({ kind: "stopped", build, cutOff });
    return cutOff;
  }

  #unavailable(): ServiceUnavailable {
    const state = this.#state;
    if (state.kind === "none") {
      const reason = `No build of ${this.application.slug} is live any more.`;
      return { kind: "unavailable", reason, retryAfterSeconds: 1 };
    }
    const build = `Build ${state.build.number} of ${this.application.slug}`;
    if (state.kind !== "pausing") {
      const reason = `${build} is being started.`;
      return { kind: "unavailable", reason, retryAfterSeconds: 1 };
    }
    const seconds = Math.max(1, Math.ceil((state.until - performance.now()) / 1000));
    const reason = `${build} ${state.fault} and restarts in ${seconds} s.`;
    return { kind: "unavailable", reason, retryAfterSeconds: seconds };
  }
}

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

/** A change of an application's processes, for its log. */
export type SupervisionEvent =
  /** The process answers and receives new requests. */
  | { readonly kind: "serving"; readonly build: number; readonly pid: number }
  /** The process ended unexpectedly; `inMs`: the delay of its restart. */
  | {
      readonly kind: "crashed";
      readonly build: number;
      readonly reason: string;
      readonly log: readonly string[];
      readonly inMs: number;
    }
  | {
      readonly kind: "start-failed";
      readonly build: number;
      readonly failure: StartFailure;
      readonly inMs: number;
    }
  /** It was replaced; `leases` requests still run. */
  | { readonly kind: "draining"; readonly build: number; readonly leases: number }
  /** It was replaced or retired, and has ended; `cutOff` requests were still running. */
  | { readonly kind: "stopped"; readonly build: number; readonly cutOff: number };

/** An event as one sentence, as the application's log shows it. */
export function describeSupervision(event: SupervisionEvent): string {
  switch (event.kind) {
    case "serving":
      return `Serving, as process ${event.pid}.`;
    case "crashed":
      return `Crashed. ${event.reason} Restarting ${delayText(event.inMs)}.`;
    case "start-failed":
      return `Could not be started. ${event.failure.reason} Retrying ${delayText(event.inMs)}.`;
    case "draining":
      return `Replaced; ${requests(event.leases)} still running.`;
    case "stopped":
      return event.cutOff === 0
        ? "Stopped."
        : `Stopped; ${requests(event.cutOff)} cut off after the drain time.`;
  }
}

/** "at once", "in 2.5 s" */
export function delayText(milliseconds: number): string {
  return milliseconds === 0 ? "at once" : `in ${(milliseconds / 1000).toFixed(1)} s`;
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}
