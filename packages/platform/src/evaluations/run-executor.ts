import { randomBytes } from "node:crypto";
import type { NewPlatformRun, Run } from "@agate/protocol";
import type { Logger } from "pino";
import type { ApplicationRef, Registry } from "../registry/registry.ts";
import type { RegistryOutcome } from "../registry/registry-outcome.ts";
import type { OpenRun, RunRef } from "../registry/runs/run-registry.ts";
import type { CarryOutParts } from "./carry-out-run.ts";

export interface RunExecutorOptions extends Omit<CarryOutParts, "onStoreUnavailable" | "registry"> {
  readonly registry: Registry;
  readonly log: Pick<Logger, "error" | "warn">;
  /** How often it looks for runs and renews leases, in milliseconds. */
  readonly everyMs?: number | undefined;
}

/** How long a server leaves a run to others that it had no room for, in milliseconds. */
export const POSTPONED_MS = 15_000;

/** Runs that a server carries out at the same time. Others wait, or are another server's. */
export const MOST_RUNS = 4;
/** Well below the time of a lease: a renewal may be late by seconds. */
const EVERY_MS = 2_500;

interface CarriedOut {
  readonly ref: RunRef;
  readonly worker: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Carries out the runs that the platform was asked for, in every server. It looks for them every few
 * seconds, so that a run goes on whose server was killed, and at once for those that were started here.
 */
export class RunExecutor {
  readonly #options: RunExecutorOptions;
  readonly #running = new Map<string, CarriedOut>();
  /** Runs that there was no room for, with the time at which they are tried again. */
  readonly #postponed = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #looking: Promise<void> | undefined;

  constructor(options: RunExecutorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setTimeout(() => this.#look(), this.#options.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  /** Creates a run as it is asked for, and begins to carry it out. */
  async startRun(
    ref: ApplicationRef,
    evaluation: string,
    asked: NewPlatformRun,
    by: string,
  ): Promise<RegistryOutcome<Run>> {
    const { startRun } = await import("./start-run.ts");
    const outcome = await startRun(this.#options, ref, evaluation, asked, by);
    if (outcome.kind === "done") this.notice({ project: ref.project, run: outcome.value.id });
    return outcome;
  }

  /** A run was started or ended here: it is looked at without delay. */
  notice(ref: RunRef): void {
    const running = this.#running.get(keyOf(ref));
    if (running !== undefined) void this.#watch(running);
    else if (this.#hasRoom) this.#begin(ref);
  }

  /** Breaks running calls off and gives their items back, for other servers to take at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { abort } of this.#running.values()) abort.abort();
    await this.#looking;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  get #hasRoom(): boolean {
    return !this.#isClosed && this.#running.size < MOST_RUNS;
  }

  #look(): void {
    this.#looking = this.#lookOnce()
      .catch((err: unknown) => {
        this.#options.log.warn({ err }, "Runs of evaluations could not be looked for.");
      })
      .then(() => {
        if (!this.#isClosed) this.start();
      });
  }

  async #lookOnce(): Promise<void> {
    await Promise.all([...this.#running.values()].map((each) => this.#watch(each)));
    const all = await this.#options.registry.runs.toCarryOut();
    for (const open of all) {
      const key = keyOf(open);
      const isWaiting = (this.#postponed.get(key) ?? 0) > this.#options.now();
      if (!this.#running.has(key) && !isWaiting && this.#hasRoom && isOpenFor(open)) {
        this.#begin(open);
      }
    }
    const open = new Set(all.map(keyOf));
    for (const key of this.#postponed.keys()) if (!open.has(key)) this.#postponed.delete(key);
  }

  /** Renews the leases of a run, or breaks its calls off where it has ended. */
  async #watch({ ref, worker, abort }: CarriedOut): Promise<void> {
    const { LEASE_MS } = await import("./run-exchange.ts");
    const { runs } = this.#options.registry;
    try {
      const found = await runs.get(ref);
      if (found.kind === "refused" || found.value.status !== "running") abort.abort();
      else await runs.renew(ref, { token: worker, ms: LEASE_MS });
    } catch (err) {
      this.#options.log.warn({ err, run: ref.run }, "Leases of a run could not be renewed.");
    }
  }

  #begin({ project, run }: RunRef): void {
    const ref = { project, run };
    const abort = new AbortController();
    const worker = randomBytes(16).toString("hex");
    const ended = this.#carryOut(ref, worker, abort).finally(() => {
      this.#running.delete(keyOf(ref));
    });
    this.#running.set(keyOf(ref), { ref, worker, abort, ended });
  }

  async #carryOut(ref: RunRef, worker: string, abort: AbortController): Promise<void> {
    const { log } = this.#options;
    try {
      // Loaded when there is a run: most servers have none.
      const { carryOutRun } = await import("./carry-out-run.ts");
      const onStoreUnavailable = (reason: string) =>
        log.error({ reason, run: ref.run }, "Scores of a run could not be written to its traces.");
      const end = await carryOutRun(
        { ...this.#options, onStoreUnavailable },
        { ref, worker, signal: abort.signal, onEnded: () => abort.abort() },
      );
      if (end.kind === "postponed") this.#postpone(ref, end.reason);
    } catch (err) {
      log.error({ err, run: ref.run }, "A run could not be carried on, and is taken up again.");
    }
  }

  #postpone(ref: RunRef, reason: string): void {
    const { log, now } = this.#options;
    const isFirst = !this.#postponed.has(keyOf(ref));
    this.#postponed.set(keyOf(ref), now() + POSTPONED_MS);
    const sentence =
      "There is no room for a run here: it is left to other servers, and tried again.";
    if (isFirst) log.warn({ reason, run: ref.run }, sentence);
  }
}

function keyOf({ project, run }: RunRef): string {
  return `${project} ${run}`;
}

/** A server that comes last, for calls that others are making already, would start processes for nothing. */
function isOpenFor({ workers, left, concurrency }: OpenRun): boolean {
  return workers === 0 || left > concurrency;
}
