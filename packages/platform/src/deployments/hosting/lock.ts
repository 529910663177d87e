import type { Builds, DeployLockToken } from "../../registry/registry.ts";
import type { SharedBuilds } from "../../stores/registry/shared-builds.ts";
import { RegistryUnavailableError } from "../../stores/store-errors.ts";
import { KeyedQueue, Semaphore } from "../builds/concurrency.ts";

export interface DeployLockOptions {
  readonly builds: Pick<Builds, "unfinished" | "refuseUnfinished" | "refuseUnfinishedOf">;
  /** Null without other replicas. */
  readonly shared: Pick<SharedBuilds, "acquireLease" | "tryLease"> | null;
  /** How many deploys may run at the same time. */
  readonly most: number;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
}

const INTERRUPTED = "The platform ended before the build could serve.";

/** One lock per application, across all replicas: only its holder changes which build is live. */
export class DeployLock {
  readonly #options: DeployLockOptions;
  readonly #queue = new KeyedQueue();
  readonly #semaphore: Semaphore;

  constructor(options: DeployLockOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.most);
  }

  /** Runs a change of the application's live build while holding its lock. */
  run<Result>(
    applicationId: string,
    work: (token: DeployLockToken) => Promise<Result>,
  ): Promise<Result> {
    return this.#queue.run(applicationId, () =>
      this.#semaphore.run(() => this.#runAcrossReplicas(applicationId, work)),
    );
  }

  /** Runs work that only reacts to a change: in order with this process's changes, without the lock. */
  runLocally<Result>(applicationId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(applicationId, work);
  }

  /** Marks builds as refused whose deploy died with its process. @returns their ids. */
  async refuseInterrupted(): Promise<readonly string[]> {
    const { builds, shared } = this.#options;
    const applications = await builds.unfinished();
    if (shared === null) return builds.refuseUnfinished(applications, INTERRUPTED);
    const interrupted: string[] = [];
    for (const id of applications) {
      await using lock = await shared.tryLease(id);
      // Another replica holds the lock: its deploy is still running.
      if (lock === undefined) continue;
      interrupted.push(...(await builds.refuseUnfinishedOf(id, INTERRUPTED, lock.token)));
    }
    return interrupted;
  }

  /** Resolves when no work is running or queued. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #runAcrossReplicas<Result>(
    id: string,
    work: (token: DeployLockToken) => Promise<Result>,
  ): Promise<Result> {
    const { builds, shared, signal } = this.#options;
    // The data directory belongs to this process alone: the local queue is enough.
    if (shared === null) return work(null);
    await using lock = await shared.acquireLease(id, signal);
    // A deploy that is unfinished now has lost its server, or that server hangs: it would hold the lock.
    await builds.refuseUnfinishedOf(id, INTERRUPTED, lock.token);
    return await work(lock.token);
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
