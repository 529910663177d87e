import type { Lease, Service, ServiceUnavailable } from "../services.ts";
import {
  type Drain,
  DrainingProcesses,
  LONGEST_CALL_MS,
  requestsOf,
} from "./draining-processes.ts";
import { type DrainLimits, type LeasedProcess, WaitingRequests } from "./leases.ts";
import { ProcessRoom, type RoomClaim } from "./process-room.ts";
import { ProcessSlot, type SlotPause, type SupervisedBuild } from "./process-slot.ts";
import { WATCH_LIMITS, type WatchLimits } from "./process-watch.ts";
import type { BuildProcess, StartFailure } from "./start-build-process.ts";
import { type StartedBuild, startProcesses } from "./started-build.ts";
import type { SupervisionEvent } from "./supervision-events.ts";

export interface SupervisorLimits extends DrainLimits {
  /** How long a request waits for a build that is being started. */
  readonly waitMs: number;
  /** A process that ran for this long was stable: its crash counts as the first. */
  readonly stableMs: number;
  /** How processes are watched; null: not at all. */
  readonly watch: WatchLimits | null;
  /** How many processes serve at the same time. */
  readonly processes: number;
}

const LIMITS: SupervisorLimits = {
  drainMs: LONGEST_CALL_MS,
  stopMs: 10_000,
  waitMs: 10_000,
  stableMs: 60_000,
  watch: WATCH_LIMITS,
  processes: 1,
};
/** For a stopping platform: shorter, so that the stop is not held up. */
export const CLOSING: DrainLimits = { drainMs: 30_000, stopMs: 2_000 };

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
  | {
      readonly kind: "active";
      readonly build: SupervisedBuild;
      readonly slots: readonly ProcessSlot[];
    };

/** Runs the processes of one build of an application at a time, and restarts those that crash. */
export class Supervisor implements Service {
  readonly application: { readonly id: string; readonly slug: string };
  readonly #emit: (event: SupervisionEvent) => void;
  readonly #limits: SupervisorLimits;
  readonly #waiting: WaitingRequests;
  readonly #room: ProcessRoom;
  readonly #draining = new DrainingProcesses();
  #claim: RoomClaim | undefined;
  #state: State = { kind: "none" };
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
    this.#emit = onEvent;
    this.#limits = { ...LIMITS, ...limits };
    this.#room = room;
    this.#waiting = new WaitingRequests(this.#limits.waitMs, () => this.#unavailable());
  }

  /** The number of the build that serves, or is being started to; undefined while there is none. */
  get build(): number | undefined {
    return this.#state.kind === "none" ? undefined : this.#state.build.number;
  }

  /** How many requests are running, in processes that drain as well. */
  get requests(): number {
    return requestsOf(this.#servingProcesses()) + this.#draining.requests;
  }

  /** Whether the first start of its build has neither succeeded nor failed yet. */
  get isStarting(): boolean {
    const state = this.#state;
    if (state.kind === "asleep") return state.refusal === undefined;
    return state.kind === "active" && state.slots.some((slot) => !slot.hasSettled);
  }

  acquire(): Lease | Promise<Lease | ServiceUnavailable> {
    const serving = this.#leastBusy();
    if (serving !== undefined) return serving.lease();
    this.wake();
    const { kind } = this.#state;
    const isWaiting = kind === "active" && !this.#isPausedFor(this.#limits.waitMs);
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
    const slots = this.#activate(build);
    for (const [index, slot] of slots.entries()) {
      const process = processes[index];
      if (process === undefined) void slot.start();
      else slot.serve(process);
    }
    return this.#replaced(before);
  }

  /** For a build that was live when the platform stopped: the first request, or {@link wake}, starts it. */
  startLater(build: SupervisedBuild): void {
    if (this.#isClosed) return;
    const before = this.#leave();
    this.#fallAsleep(build);
    this.#replaced(before);
  }

  /** Starts the build of {@link startLater} in the background, if there is room for it. */
  wake(): void {
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
    for (const slot of this.#activate(build)) void slot.start();
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

  /** Leaves the current state, but keeps its processes running. */
  #leave(): Replaced | undefined {
    const state = this.#state;
    this.#state = { kind: "none" };
    if (state.kind !== "active") return undefined;
    const processes = state.slots.flatMap((slot) => slot.leave() ?? []);
    return processes.length === 0 ? undefined : { build: state.build.number, processes };
  }

  #fallAsleep(build: SupervisedBuild): void {
    this.#state = { kind: "asleep", build };
    this.#releaseRoom();
  }

  #releaseRoom(): void {
    this.#claim?.release();
    this.#claim = undefined;
  }

  #activate(build: SupervisedBuild): readonly ProcessSlot[] {
    const { watch, stableMs, processes } = this.#limits;
    const options = {
      build,
      watch,
      stableMs,
      emit: this.#emit,
      onServing: () => this.#waiting.grant(() => (this.#leastBusy() as LeasedProcess).lease()),
      onPaused: () => {
        if (this.#isPausedFor(this.#limits.waitMs)) this.#waiting.reject();
      },
      mayReplace: () => !this.#draining.hasUnfit && !slots.some((slot) => slot.isReplacing),
      retire: (replaced: LeasedProcess) => {
        void this.#drain(build.number, [replaced], this.#limits);
      },
    };
    const slots: readonly ProcessSlot[] = Array.from(
      { length: processes },
      () => new ProcessSlot(options),
    );
    this.#state = { kind: "active", build, slots };
    return slots;
  }

  #servingProcesses(): readonly LeasedProcess[] {
    if (this.#state.kind !== "active") return [];
    return this.#state.slots.flatMap(({ serving }) => serving ?? []);
  }

  /** The process for the next request. */
  #leastBusy(): LeasedProcess | undefined {
    if (this.#state.kind !== "active") return undefined;
    let best: LeasedProcess | undefined;
    for (const { serving } of this.#state.slots) {
      if (serving !== undefined && (best === undefined || comesBefore(serving, best)))
        best = serving;
    }
    return best;
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
    const pause = this.#pause();
    return pause !== undefined && pause.until - performance.now() > milliseconds;
  }

  /** The shortest of the pauses, while no process serves or is being started. */
  #pause(): SlotPause | undefined {
    if (this.#state.kind !== "active") return undefined;
    let shortest: SlotPause | undefined;
    for (const { pause } of this.#state.slots) {
      if (pause === undefined) return undefined;
      if (shortest === undefined || pause.until < shortest.until) shortest = pause;
    }
    return shortest;
  }

  #unavailable(): ServiceUnavailable {
    const state = this.#state;
    if (state.kind === "none") {
      const reason = `No build of ${this.application.slug} is live any more.`;
      return { kind: "unavailable", reason, retryAfterSeconds: 1 };
    }
    const build = `Build ${state.build.number} of ${this.application.slug}`;
    if (state.kind === "asleep" && state.refusal !== undefined) {
      const reason = `${build} could not be started. ${state.refusal}`;
      return { kind: "unavailable", reason, retryAfterSeconds: NO_ROOM_RETRY_SECONDS };
    }
    const pause = this.#pause();
    if (pause === undefined) {
      const reason = `${build} is being started.`;
      return { kind: "unavailable", reason, retryAfterSeconds: 1 };
    }
    const seconds = Math.max(1, Math.ceil((pause.until - performance.now()) / 1000));
    const reason = `${build} ${pause.fault} and restarts in ${seconds} s.`;
    return { kind: "unavailable", reason, retryAfterSeconds: seconds };
  }
}

/** Fewest requests first; one that misses its health checks last. */
function comesBefore(one: LeasedProcess, other: LeasedProcess): boolean {
  const [isWell, isOtherWell] = [one.condition.kind === "well", other.condition.kind === "well"];
  return isWell === isOtherWell ? one.leases < other.leases : isWell;
}

/** The processes of a build that was replaced. */
interface Replaced {
  readonly build: number;
  readonly processes: readonly LeasedProcess[];
}
