import type { LeaseToken } from "../../registry/deploy-leases.ts";
import type { Builds } from "../../registry/registry.ts";
import type { SharedBuilds } from "../../stores/registry/shared-builds.ts";
import { RegistryUnavailableError } from "../../stores/store-errors.ts";
import { KeyedQueue, Semaphore } from "../builds/concurrency.ts";

export interface DeployLockOptions {
  readonly builds: Pick<Builds, "unfinished" | "refuse">;
  /** Null without other replicas. */
  readonly shared: Pick<SharedBuilds, "acquireLease" | "tryLease"> | null;
  /** How many changes may run at the same time. */
  readonly most: number;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
}

const INTERRUPTED = "The platform ended before the build could serve.";

/** A build that is held: no other replica takes its deploy for one that was given up. */
export interface HeldBuild extends AsyncDisposable {
  /** Null without other replicas. */
  readonly lease: LeaseToken | null;
}

/** One lock per environment, across all replicas: only its holder changes what is live there. */
export class DeployLock {
  readonly #options: DeployLockOptions;
  readonly #queue = new KeyedQueue();
  readonly #semaphore: Semaphore;

  constructor(options: DeployLockOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.most);
  }

  /** Runs a change of what is live in an environment while holding its lock. */
  run<Result>(
    environmentId: string,
    work: (lease: LeaseToken | null) => Promise<Result>,
  ): Promise<Result> {
    return this.#queue.run(environmentId, () =>
      this.#semaphore.run(() => this.#runAcrossReplicas(environmentId, work)),
    );
  }

  /** Runs work that only reacts to a change: in order with this process's changes, without the lock. */
  runLocally<Result>(environmentId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(environmentId, work);
  }

  /** Holds a build while it is unpacked, installed and started, and its files while they are in use. */
  async hold(buildId: string): Promise<HeldBuild> {
    const { shared, signal } = this.#options;
    if (shared === null) return { lease: null, [Symbol.asyncDispose]: async () => {} };
    const held = await shared.acquireLease(buildId, signal);
    return {
      lease: { key: buildId, token: held.token },
      [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
    };
  }

  /** Marks builds as refused whose deploy died with its process. @returns their ids. */
  async refuseInterrupted(): Promise<readonly string[]> {
    const { builds, shared } = this.#options;
    const interrupted: string[] = [];
    for (const { id, leaseKey } of await builds.unfinished()) {
      await using held = await shared?.tryLease(leaseKey);
      // Another replica holds it: its deploy is still running.
      if (shared !== null && held === undefined) continue;
      const lease = held === undefined ? null : { key: leaseKey, token: held.token };
      if (await builds.refuse(id, INTERRUPTED, lease)) interrupted.push(id);
    }
    return interrupted;
  }

  /** Resolves when no work is running or queued. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #runAcrossReplicas<Result>(
    id: string,
    work: (lease: LeaseToken | null) => Promise<Result>,
  ): Promise<Result> {
    const { shared, signal } = this.#options;
    // The data directory belongs to this process alone: the local queue is enough.
    if (shared === null) return work(null);
    await using held = await shared.acquireLease(id, signal);
    return await work({ key: id, token: held.token });
  }
}

export interface InterruptedDeployMonitorOptions {
  readonly deployLock: Pick<DeployLock, "refuseInterrupted">;
  readonly everyMs: number;
  /** Called once with the ids of builds whose deploy was interrupted. */
  readonly onInterrupted: (builds: readonly string[]) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Checks every few seconds whether another replica died during a deploy. The registry sends no signal
 * for that: without this check the build would stay "deploying" for ever.
 */
export class InterruptedDeployMonitor {
  readonly #options: InterruptedDeployMonitorOptions;
  #timer: NodeJS.Timeout | undefined;
  #check: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: InterruptedDeployMonitorOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#check = this.#checkOnce().then(() => this.start());
    }, this.#options.everyMs);
    this.#timer.unref();
  }

  /** Resolves when the running check is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#check;
  }

  async #checkOnce(): Promise<void> {
    const { deployLock, onInterrupted, onError } = this.#options;
    try {
      const builds = await deployLock.refuseInterrupted();
      if (builds.length > 0) onInterrupted(builds);
    } catch (error) {
      // The subscription to the registry's signals has logged the outage; the next check finds them.
      if (!(error instanceof RegistryUnavailableError)) onError(error);
    }
  }
}
