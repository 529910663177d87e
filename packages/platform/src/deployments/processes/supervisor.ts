import type { Lease, Service, ServiceUnavailable } from "../services.ts";
import {
  type Drain,
  DrainingProcesses,
  LONGEST_CALL_MS,
  requestsOf,
} from "./draining-processes.ts";
import { IdleTimer } from "./idle-timer.ts";
import { type DrainLimits, type LeasedProcess, WaitingRequests } from "./leases.ts";
import { ProcessRoom, type RoomClaim } from "./process-room.ts";
import type { SlotPause, SupervisedBuild } from "./process-slot.ts";
import { WATCH_LIMITS, type WatchLimits } from "./process-watch.ts";
import { SlotGroup } from "./slot-group.ts";
import type { BuildProcess, StartFailure } from "./start-build-process.ts";
import { type StartedBuild, startProcesses } from "./started-build.ts";
import {
  afterEvent,
  NO_HISTORY,
  type ProcessHistory,
  type SupervisionEvent,
} from "./supervision-events.ts";

export interface SupervisorLimits extends DrainLimits {
  /** How long a request waits for a build that is being started. */
  readonly waitMs: number;
  /** A process that ran for this long was stable: its crash counts as the first. */
  readonly stableMs: number;
  /** How processes are watched; null: not at all. */
  readonly watch: WatchLimits | null;
  /** How many processes serve at the same time. */
  readonly processes: number;
  /** Processes end after this long without a request, until the next one; null: they never do. */
  readonly sleepMs: () => number | null;
}

const LIMITS: SupervisorLimits = {
  drainMs: LONGEST_CALL_MS,
  stopMs: 10_000,
  waitMs: 10_000,
  stableMs: 60_000,
  watch: WATCH_LIMITS,
  processes: 1,
  sleepMs: () => null,
};
/**
 * For a stopping platform: shorter, so that the stop is not held up, but not shorter than the five seconds
 * in which the SDK sends its last spans.
 */
export const CLOSING: DrainLimits = { drainMs: 30_000, stopMs: 6_000 };

/** Room is made when another environment sleeps or is stopped. */
const NO_ROOM_RETRY_SECONDS = 10;

type State =
  | { readonly kind: "none" }
  | {
      readonly kind: "asleep";
      readonly build: SupervisedBuild;
      /** Why it could not be woken, where that was tried. */
      readonly refusal?: string;
    }
  | { readonly kind: "active"; readonly build: SupervisedBuild; readonly group: SlotGroup };

/** What runs of a build, and what happened to it. */
export interface ProcessStatus extends ProcessHistory {
  /** How many take requests. */
  readonly processes: number;
  /** The resident size of those, as of their last health checks; null where it is not known. */
  readonly memoryBytes: number | null;
}

/** Runs the processes of one build of an application at a time, and restarts those that crash. */
export class Supervisor implements Service {
  readonly application: { readonly id: string; readonly slug: string };
  readonly #emit: (event: SupervisionEvent) => void;
  readonly #limits: SupervisorLimits;
  readonly #waiting: WaitingRequests;
  readonly #room: ProcessRoom;
  readonly #draining = new DrainingProcesses();
  readonly #sleepTimer: IdleTimer;
  #state: State = { kind: "none" };
  #claim: RoomClaim | undefined;
  /** When a request last came, or a build was started. */
  #lastUsed = 0;
  #history = NO_HISTORY;
  #isClosed = false;

  /**
   * @param onEvent Called with every change of a process, for the log.
   * @param room Shared by all supervisors of a server.
   */
  constructor(
    application: { readonly id: string; readonly slug: string },
    onEvent: (event: SupervisionEvent) => void,
    limits: Partial<SupervisorLimits> = {},
    room = new ProcessRoom(),
  ) {
    this.application = application;
    this.#emit = (event) => {
      if (event.build === this.build) this.#history = afterEvent(this.#history, event);
      onEvent(event);
    };
    this.#limits = { ...LIMITS, ...limits };
    this.#room = room;
    this.#waiting = new WaitingRequests(this.#limits.waitMs, () => this.#unavailable());
    this.#sleepTimer = new IdleTimer(
      this.#limits.sleepMs,
      () => this.#idleSince(),
      (idleMs) => this.#sleep(idleMs),
    );
  }

  /** The number of the build that serves, or is being started to; undefined while there is none. */
  get build(): number | undefined {
    return this.#state.kind === "none" ? undefined : this.#state.build.number;
  }

  /** How many processes take requests, and what happened to them. */
  get status(): ProcessStatus {
    const serving = this.#group?.serving ?? [];
    const sizes = serving.flatMap(({ residentBytes }) => residentBytes ?? []);
    const memoryBytes = sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0);
    return { processes: serving.length, memoryBytes, ...this.#history };
  }

  /** How many requests are running, in processes that drain as well. */
  get requests(): number {
    return requestsOf(this.#group?.serving ?? []) + this.#draining.requests;
  }

  /**
   * Whether the first start of its build has neither succeeded nor failed yet. One that sleeps while it
   * is not called need not be started.
   */
  get isStarting(): boolean {
    const state = this.#state;
    if (this.#limits.sleepMs() !== null) return false;
    if (state.kind === "asleep") return state.refusal === undefined;
    return state.kind === "active" && !state.group.hasSettled;
  }

  acquire(): Lease | Promise<Lease | ServiceUnavailable> {
    this.#lastUsed = performance.now();
    const serving = this.#group?.leastBusy();
    if (serving !== undefined) return serving.lease();
    this.#awaken();
    const isWaiting = this.#state.kind === "active" && !this.#isPausedFor(this.#limits.waitMs);
    return isWaiting ? this.#waiting.wait() : Promise.resolve(this.#unavailable());
  }

  /** Starts all processes of a build, beside those that serve. */
  async start(build: SupervisedBuild, signal: AbortSignal): Promise<StartedBuild | StartFailure> {
    const { processes } = this.#limits;
    const claim = this.#claim === undefined ? this.#room.claim(processes) : null;
    if (claim === undefined) {
      const reason = this.#room.refusal(processes);
      return { kind: "failed", cause: "no-room", reason, log: [] };
    }
    return startProcesses(build, processes, claim, signal);
  }

  /**
   * Sends every new request to other processes, from now on. The previous ones end when their last
   * request is answered, or when the longest time-out of their routes is over.
   *
   * @param started Where these are fewer processes than there are to be, the others are started.
   * @returns what becomes of the previous ones.
   */
  switchTo(build: SupervisedBuild, started: StartedBuild | BuildProcess): Drain {
    if (this.#isClosed) return { requests: 0, ended: started.stop(0).then(() => 0) };
    const { processes, claim } =
      "processes" in started ? started : { processes: [started], claim: null };
    if (this.#claim === undefined) this.#claim = claim ?? undefined;
    else claim?.release();
    const before = this.#leave();
    this.#history = NO_HISTORY;
    this.#activate(build, processes);
    return this.#replaced(before);
  }

  /** For a build that was live when the platform stopped: the first request, or {@link wake}, starts it. */
  startLater(build: SupervisedBuild): void {
    if (this.#isClosed) return;
    const before = this.#leave();
    this.#fallAsleep(build);
    this.#replaced(before);
  }

  /** Starts the build of {@link startLater} in the background, unless it sleeps while it is not called. */
  wake(): void {
    if (this.#limits.sleepMs() === null) this.#awaken();
  }

  /** Starts a sleeping build, if there is room for it. */
  #awaken(): void {
    if (this.#state.kind !== "asleep") return;
    const { build, refusal } = this.#state;
    const { processes } = this.#limits;
    this.#claim ??= this.#room.claim(processes);
    if (this.#claim === undefined) {
      const reason = this.#room.refusal(processes);
      this.#state = { kind: "asleep", build, refusal: reason };
      if (refusal === undefined) this.#emit({ kind: "no-room", build: build.number, reason });
      return;
    }
    this.#activate(build);
  }

  /** Ends every process: running requests get some time, new ones a 503. */
  async close(limits: DrainLimits = CLOSING): Promise<void> {
    this.#isClosed = true;
    const before = this.#leave();
    this.#releaseRoom();
    this.#waiting.reject();
    if (before !== undefined) void this.#drain(before.build, before.processes, limits);
    await this.#draining.close(limits);
  }

  get #group(): SlotGroup | undefined {
    return this.#state.kind === "active" ? this.#state.group : undefined;
  }

  /** Leaves the current state, but keeps its processes running. */
  #leave(): Replaced | undefined {
    const state = this.#state;
    this.#state = { kind: "none" };
    this.#sleepTimer.stop();
    if (state.kind !== "active") return undefined;
    const processes = state.group.leave();
    return processes.length === 0 ? undefined : { build: state.build.number, processes };
  }

  /** @param running Processes that serve from now on; the others are started. */
  #activate(build: SupervisedBuild, running: readonly BuildProcess[] = []): void {
    const { watch, stableMs, processes } = this.#limits;
    const group: SlotGroup = new SlotGroup(
      {
        build,
        watch,
        stableMs,
        emit: this.#emit,
        onServing: () => this.#waiting.grant(() => (group.leastBusy() as LeasedProcess).lease()),
        onPaused: () => {
          if (this.#isPausedFor(this.#limits.waitMs)) this.#waiting.reject();
        },
        mayReplace: () => !this.#draining.hasUnfit && !group.isReplacing,
        retire: (replaced) => void this.#drain(build.number, [replaced], this.#limits),
      },
      processes,
    );
    this.#state = { kind: "active", build, group };
    this.#lastUsed = performance.now();
    this.#sleepTimer.start();
    group.start(running);
  }

  #idleSince(): number {
    if (this.#waiting.count > 0) return Number.POSITIVE_INFINITY;
    const processes = this.#group?.serving ?? [];
    return Math.max(this.#lastUsed, ...processes.map(({ idleSince }) => idleSince));
  }

  #sleep(afterMs: number): void {
    if (this.#state.kind !== "active") return;
    const { build } = this.#state;
    const before = this.#leave();
    this.#fallAsleep(build);
    this.#emit({ kind: "asleep", build: build.number, afterMs });
    if (before !== undefined) void this.#drain(build.number, before.processes, this.#limits);
  }

  #fallAsleep(build: SupervisedBuild): void {
    this.#state = { kind: "asleep", build };
    this.#history = NO_HISTORY;
    this.#releaseRoom();
  }

  #releaseRoom(): void {
    this.#claim?.release();
    this.#claim = undefined;
  }

  #replaced(before: Replaced | undefined): Drain {
    if (before === undefined) return { requests: 0, ended: Promise.resolve(0) };
    const { build, processes } = before;
    const requests = requestsOf(processes);
    this.#emit({ kind: "draining", build, leases: requests });
    return { requests, ended: this.#drain(build, processes, this.#limits) };
  }

  #drain(build: number, processes: readonly LeasedProcess[], limits: DrainLimits): Promise<number> {
    return this.#draining.add(processes, limits, (cutOff) =>
      this.#emit({ kind: "stopped", build, cutOff }),
    );
  }

  /** Whether no process serves, nor is started within this time. */
  #isPausedFor(milliseconds: number): boolean {
    const pause = this.#group?.pause;
    return pause !== undefined && pause.until - performance.now() > milliseconds;
  }

  #unavailable(): ServiceUnavailable {
    const state = this.#state;
    const { slug } = this.application;
    if (state.kind === "none") return unavailable(`No build of ${slug} is running.`);
    const build = `Build ${state.build.number} of ${slug}`;
    if (state.kind === "asleep" && state.refusal !== undefined) {
      const reason = `${build} could not be started. ${state.refusal}`;
      return unavailable(reason, NO_ROOM_RETRY_SECONDS);
    }
    const pause = this.#group?.pause;
    return pause === undefined
      ? unavailable(`${build} is being started.`)
      : pausing(build, pause, performance.now());
  }
}

function pausing(build: string, { until, fault }: SlotPause, now: number): ServiceUnavailable {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  return unavailable(`${build} ${fault} and restarts in ${seconds} s.`, seconds);
}

function unavailable(reason: string, retryAfterSeconds = 1): ServiceUnavailable {
  return { kind: "unavailable", reason, retryAfterSeconds };
}

/** The processes of a build that was replaced. */
interface Replaced {
  readonly build: number;
  readonly processes: readonly LeasedProcess[];
}
