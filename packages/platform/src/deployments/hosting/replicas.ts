import { setTimeout as delay } from "node:timers/promises";
import type { Builds, LiveBuild } from "../../registry/registry.ts";
import type { RegistrySignals } from "../../stores/registry/registry-signals.ts";
import { restartDelay } from "../processes/process-slot.ts";
import type { StartFailure } from "../processes/start-build-process.ts";
import { delayText } from "../processes/supervision-events.ts";
import type { EnvironmentHost, EnvironmentHosts, HostedBuild, StartableBuild } from "./host.ts";
import type { DeployLock } from "./lock.ts";

export interface BuildReconcilerOptions {
  readonly signals: Pick<RegistrySignals, "subscribe">;
  readonly builds: Pick<Builds, "live">;
  readonly hosts: EnvironmentHosts;
  readonly deployLock: Pick<DeployLock, "runLocally">;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
  /** The live build has changed, or was retired. */
  readonly onSwitched: () => void;
  readonly onDelayed: (delayed: DelayedBuild) => void;
  readonly onError: (error: unknown) => void;
}

interface Replacement {
  readonly version: string;
  readonly abort: AbortController;
}

/** The same time that a call waits for a build that is starting. */
const CATCH_UP_MS = 10_000;

/** The retry key of a pass over all applications. No id is empty. */
const ALL = "";

/**
 * Keeps the builds that run in this replica in line with the registry: another replica may have
 * deployed or taken down a build, or renamed an application. The running build serves until its
 * replacement answers.
 */
export class BuildReconciler {
  readonly #options: BuildReconcilerOptions;
  /** By application. */
  readonly #passes = new Map<string, "running" | "repeat">();
  /** By environment; passes that failed, by application. */
  readonly #retries = new RetrySchedule();
  /** Builds that are starting to replace a running one, by environment. */
  readonly #replacements = new Map<string, Replacement>();
  readonly #started = Promise.withResolvers<void>();
  #unsubscribe: () => void = () => {};

  constructor(options: BuildReconcilerOptions) {
    this.#options = options;
  }

  /** Hosts every live build, to be started later, and subscribes to changes. */
  async start(): Promise<void> {
    const { signals, builds, hosts } = this.#options;
    this.#unsubscribe = signals.subscribe((signal) => {
      if (signal.kind === "everything") this.#reconcileAll();
      else if (signal.kind !== "access") this.reconcile(signal.applicationId);
    });
    for (const live of await builds.live()) hostOf(hosts, live).startLater(hostedBuild(live));
    this.#started.resolve();
  }

  /** Compares an application's running builds with the registry, in the background. */
  reconcile(applicationId: string): void {
    const isRunning = this.#passes.has(applicationId);
    this.#passes.set(applicationId, isRunning ? "repeat" : "running");
    if (!isRunning) void this.#reconcileWhileNeeded(applicationId);
  }

  /** Hosts the live builds without waiting for the registry's signal; gives up after a timeout. */
  async catchUp(applicationId: string): Promise<void> {
    const { deployLock } = this.#options;
    const waiting = await this.#reconcileOnce(applicationId);
    // The queue is in order: these run after the changes that the pass has queued.
    const applied = Promise.all(waiting.map((id) => deployLock.runLocally(id, async () => {})));
    const timer = new AbortController();
    const timeout = delay(CATCH_UP_MS, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([applied, timeout]);
    timer.abort();
  }

  close(): void {
    this.#unsubscribe();
    this.#retries.close();
  }

  #reconcileAll(): void {
    const { builds, hosts, onError, signal } = this.#options;
    const pass = async () => {
      const live = new Map((await builds.live()).map((each) => [each.environment.id, each]));
      const wanted = [...live.values()].map(({ environment }) => environment);
      for (const { id, application } of [...wanted, ...hosts.environments]) {
        if (!isServed(hosts.get(id), live.get(id))) this.reconcile(application.id);
      }
      this.#retries.cancel(ALL);
    };
    pass().catch((error) => {
      if (signal.aborted) return;
      this.#retries.schedule(ALL, "", () => this.#reconcileAll());
      onError(error);
    });
  }

  /** One pass at a time: a pass with an older state must not be the last to act. */
  async #reconcileWhileNeeded(id: string): Promise<void> {
    do {
      this.#passes.set(id, "running");
      await this.#reconcileOnce(id).catch((error) => this.#fail(id, id, error));
    } while (this.#passes.get(id) === "repeat");
    this.#passes.delete(id);
  }

  /** @returns ids of the environments that have no running build, and for which a change was queued. */
  async #reconcileOnce(applicationId: string): Promise<readonly string[]> {
    const { builds, hosts, signal } = this.#options;
    // start() may still be hosting builds from an older read of the registry.
    await this.#started.promise;
    const live = await builds.live(applicationId);
    if (signal.aborted) return [];
    const wanted = new Map(live.map((each) => [each.environment.id, each]));
    const hosted = hosts.environments.filter(({ application }) => application.id === applicationId);
    const ids = new Set([...wanted.keys(), ...hosted.map(({ id }) => id)]);
    for (const id of ids) this.#reconcileEnvironment(id, applicationId, wanted.get(id));
    this.#retries.cancel(applicationId);
    return [...ids].filter((id) => hosts.get(id)?.live === undefined);
  }

  #reconcileEnvironment(id: string, applicationId: string, wanted: LiveBuild | undefined): void {
    const { hosts, deployLock } = this.#options;
    const replacement = this.#replacements.get(id);
    // Installing packages can take minutes: a build that is no longer wanted must not block its successor.
    if (replacement && replacement.version !== versionOf(wanted)) replacement.abort.abort();
    const host = hosts.get(id);
    // At once: calls under the new slug must not wait for a running deploy.
    if (wanted !== undefined) host?.update(wanted.environment);
    if (isServed(host, wanted)) this.#retries.cancel(id);
    else if (!this.#retries.isWaiting(id, versionOf(wanted))) {
      void deployLock
        .runLocally(id, () => this.#apply(id, applicationId))
        .catch((error) => this.#fail(id, applicationId, error));
    }
  }

  /** Reads the registry again: deploys that were queued before may have changed it. */
  async #apply(id: string, applicationId: string): Promise<void> {
    const { builds, hosts, signal, onSwitched } = this.#options;
    const live = await builds.live(applicationId);
    const wanted = live.find((each) => each.environment.id === id);
    if (signal.aborted || isServed(hosts.get(id), wanted)) return;
    if (this.#retries.isWaiting(id, versionOf(wanted))) return;
    if (wanted === undefined) {
      await hosts.release(id);
    } else {
      const host = hostOf(hosts, wanted);
      const { live: serving } = host;
      if (serving === undefined) {
        // Without a running build, requests wait for this one, and the supervisor retries its start.
        host.startLater(hostedBuild(wanted));
        host.wake();
      } else if (!(await this.#replace(host, serving, wanted))) return;
    }
    this.#retries.cancel(id);
    onSwitched();
  }

  async #replace(host: EnvironmentHost, live: HostedBuild, wanted: LiveBuild): Promise<boolean> {
    const { signal, onDelayed } = this.#options;
    const { id, application } = wanted.environment;
    const version = versionOf(wanted);
    const abort = new AbortController();
    this.#replacements.set(id, { version, abort });
    try {
      const build = hostedBuild(wanted);
      const started = await host.start(build, AbortSignal.any([signal, abort.signal]));
      if (abort.signal.aborted && started.kind === "running") {
        await started.stop(0);
      } else if (started.kind === "running") {
        host.switchTo(build, started);
        return true;
      } else if (!signal.aborted) {
        const inMs = this.#retries.schedule(id, version, () => this.reconcile(application.id));
        onDelayed({ wanted, serving: live, failure: started, inMs });
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      this.#replacements.delete(id);
    }
    return false;
  }

  /** Retries after an error of the registry or the disk. */
  #fail(key: string, applicationId: string, error: unknown): void {
    const { signal, onError } = this.#options;
    if (signal.aborted) return;
    this.#retries.schedule(key, "", () => this.reconcile(applicationId));
    onError(error);
  }
}

interface Retry {
  readonly version: string;
  readonly failures: number;
  /** Undefined while the retry is running. */
  readonly timer: NodeJS.Timeout | undefined;
}

/** Retries with back-off, one per key, until cancelled. */
export class RetrySchedule {
  readonly #retries = new Map<string, Retry>();

  /** Whether a retry of this version is scheduled for the key. */
  isWaiting(key: string, version: string): boolean {
    const scheduled = this.#retries.get(key);
    return scheduled?.timer !== undefined && scheduled.version === version;
  }

  /**
   * Schedules a retry, in place of an earlier one. A new version starts with the shortest delay.
   *
   * @returns the delay in milliseconds.
   */
  schedule(key: string, version: string, retry: () => void): number {
    const before = this.#retries.get(key);
    clearTimeout(before?.timer);
    const failures = before?.version === version ? before.failures + 1 : 1;
    // Never at once, as after a crash: this build did not even start.
    const inMs = restartDelay(failures + 1, Math.random());
    const timer = setTimeout(() => {
      this.#retries.set(key, { version, failures, timer: undefined });
      retry();
    }, inMs);
    this.#retries.set(key, { version, failures, timer });
    return inMs;
  }

  cancel(key: string): void {
    clearTimeout(this.#retries.get(key)?.timer);
    this.#retries.delete(key);
  }

  close(): void {
    for (const key of [...this.#retries.keys()]) this.cancel(key);
  }
}

function hostOf(hosts: EnvironmentHosts, { environment }: LiveBuild): EnvironmentHost {
  const host = hosts.ensure(environment);
  host.update(environment);
  return host;
}

function hostedBuild({ environment, build, since }: LiveBuild): HostedBuild {
  const { id, number, allow, manifest_sha256 } = build;
  return { id, applicationId: environment.application.id, number, allow, manifest_sha256, since };
}

function isServed(host: EnvironmentHost | undefined, wanted: LiveBuild | undefined): boolean {
  if (host?.live === undefined || wanted === undefined) return host?.live === wanted;
  const { live, isRenamed } = host;
  return live.id === wanted.build.id && live.since === wanted.since && !isRenamed;
}

/** Identifies a state of the registry: a retry of another version need not be waited for. */
function versionOf(wanted: LiveBuild | undefined): string {
  if (wanted === undefined) return "none";
  const { build, since, environment } = wanted;
  return `${build.id} ${since} ${environment.application.slug}@${environment.slug}`;
}

/** A live build that failed to start in this replica, and is retried. */
export interface DelayedBuild {
  readonly wanted: LiveBuild;
  /** The build that keeps serving: another one, or the same under its old slug. */
  readonly serving: StartableBuild;
  readonly failure: StartFailure;
  readonly inMs: number;
}

/** As the application's log shows it, among the lines of the wanted build. */
export function describeDelay({ wanted, serving, failure, inMs }: DelayedBuild): string {
  const serves =
    serving.id === wanted.build.id
      ? "Keeps running as it was started before: it could not be restarted."
      : `Build ${serving.number} keeps serving: this one could not be started.`;
  return `${serves} ${failure.reason} Retrying ${delayText(inMs)}.`;
}
