import { setTimeout as delay } from "node:timers/promises";
import type { Builds, LiveBuild } from "../../registry/registry.ts";
import type { RegistrySignals } from "../../stores/registry/registry-signals.ts";
import type { ApplicationHost, HostedBuild } from "./application-host.ts";
import type { DelayedBuild } from "./delayed-build.ts";
import type { Hosting } from "./hosting.ts";
import { Retries } from "./retries.ts";
import type { Turns } from "./turns.ts";

export interface FollowerParts {
  readonly signals: Pick<RegistrySignals, "subscribe">;
  readonly builds: Pick<Builds, "live">;
  readonly hosting: Hosting;
  readonly turns: Pick<Turns, "follow">;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
  /** Another build serves than before, or none. */
  readonly onSwitched: () => void;
  readonly onDelayed: (delayed: DelayedBuild) => void;
  readonly onError: (error: unknown) => void;
}

interface Replacement {
  readonly what: string;
  readonly abort: AbortController;
}

/** As long as a call waits for a build that is being started. */
const CATCH_UP_MS = 10_000;

/** Where a retry is not of one application. No id is empty. */
const ALL = "";

/**
 * Lets this replica serve what the registry says: a build that came through another one or was
 * retired there, an application that was renamed. What serves goes on until the other one answers.
 */
export class LiveBuildFollower {
  readonly #parts: FollowerParts;
  readonly #looks = new Map<string, "under-way" | "once-more">();
  readonly #retries = new Retries();
  /** What is being started in place of what serves, by application. */
  readonly #replacements = new Map<string, Replacement>();
  readonly #begun = Promise.withResolvers<void>();
  #unsubscribe: () => void = () => {};

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Hosts every live build, to be started later, and follows what changes from here on. */
  async begin(): Promise<void> {
    const { signals, builds, hosting } = this.#parts;
    this.#unsubscribe = signals.subscribe((signal) => {
      if (signal.kind === "everything") this.#lookAtAll();
      else if (signal.kind !== "access") this.look(signal.applicationId);
    });
    for (const live of await builds.live()) hostOf(hosting, live).startLater(hostedBuild(live));
    this.#begun.resolve();
  }

  /** Compares what serves an application with what should, and does not wait for it. */
  look(applicationId: string): void {
    const isUnderWay = this.#looks.has(applicationId);
    this.#looks.set(applicationId, isUnderWay ? "once-more" : "under-way");
    if (!isUnderWay) void this.#lookInTurn(applicationId);
  }

  /** Hosts what the registry says is live, without waiting to be told; gives up after a while. */
  async catchUp(applicationId: string): Promise<void> {
    const { hosting, turns } = this.#parts;
    await this.#lookOnce(applicationId);
    if (hosting.get(applicationId)?.live !== undefined) return;
    // What was found to be done comes before this.
    const settled = turns.follow(applicationId, async () => {});
    const patience = new AbortController();
    const late = delay(CATCH_UP_MS, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([settled, late]);
    patience.abort();
  }

  close(): void {
    this.#unsubscribe();
    this.#retries.close();
  }

  #lookAtAll(): void {
    const { builds, hosting, onError, signal } = this.#parts;
    const look = async () => {
      const live = new Map((await builds.live()).map((each) => [each.application.id, each]));
      for (const id of new Set([...live.keys(), ...hosting.applications])) {
        if (!isServed(hosting.get(id), live.get(id))) this.look(id);
      }
      this.#retries.forget(ALL);
    };
    look().catch((error) => {
      if (signal.aborted) return;
      this.#retries.later(ALL, "", () => this.#lookAtAll());
      onError(error);
    });
  }

  /** One after the other: what is done last must not be what was read before something else. */
  async #lookInTurn(id: string): Promise<void> {
    do {
      this.#looks.set(id, "under-way");
      await this.#lookOnce(id).catch((error) => this.#fail(id, error));
    } while (this.#looks.get(id) === "once-more");
    this.#looks.delete(id);
  }

  async #lookOnce(id: string): Promise<void> {
    const { builds, hosting, turns, signal } = this.#parts;
    // What is hosted at the beginning was read before this.
    await this.#begun.promise;
    const [wanted] = await builds.live(id);
    if (signal.aborted) return;
    const replacement = this.#replacements.get(id);
    // Packages may take minutes: nobody is to wait for a build that has been taken back meanwhile.
    if (replacement && replacement.what !== nameOf(wanted)) replacement.abort.abort();
    const host = hosting.get(id);
    // At once: calls by the new name must not wait for a deploy that is under way.
    if (wanted !== undefined) host?.rename(wanted.application.slug);
    if (isServed(host, wanted)) this.#retries.forget(id);
    else if (!this.#retries.isWaiting(id, nameOf(wanted))) {
      void turns.follow(id, () => this.#settle(id)).catch((error) => this.#fail(id, error));
    }
  }

  /** In the application's turn: what was true when it was looked at may not be any more. */
  async #settle(id: string): Promise<void> {
    const { builds, hosting, signal, onSwitched } = this.#parts;
    const [wanted] = await builds.live(id);
    if (signal.aborted || isServed(hosting.get(id), wanted)) return;
    if (this.#retries.isWaiting(id, nameOf(wanted))) return;
    if (wanted === undefined) {
      await hosting.release(id);
    } else {
      const host = hostOf(hosting, wanted);
      const { live } = host;
      if (live === undefined) {
        // Nothing is to go on meanwhile: requests wait, and the supervisor tries again.
        host.startLater(hostedBuild(wanted));
        host.wake();
      } else if (!(await this.#replace(host, live, wanted))) return;
    }
    this.#retries.forget(id);
    onSwitched();
  }

  async #replace(host: ApplicationHost, live: HostedBuild, wanted: LiveBuild): Promise<boolean> {
    const { signal, onDelayed } = this.#parts;
    const { id } = wanted.application;
    const what = nameOf(wanted);
    const abort = new AbortController();
    this.#replacements.set(id, { what, abort });
    try {
      const build = hostedBuild(wanted);
      const started = await host.start(build, AbortSignal.any([signal, abort.signal]));
      if (abort.signal.aborted && started.kind === "running") {
        await started.stop(0);
      } else if (started.kind === "running") {
        void host.switchTo(build, started);
        return true;
      } else if (!signal.aborted) {
        const inMs = this.#retries.later(id, what, () => this.look(id));
        onDelayed({ wanted, serving: live, failure: started, inMs });
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      this.#replacements.delete(id);
    }
    return false;
  }

  /** The registry could not be asked, or the disk is full. */
  #fail(id: string, error: unknown): void {
    const { signal, onError } = this.#parts;
    if (signal.aborted) return;
    this.#retries.later(id, "", () => this.look(id));
    onError(error);
  }
}

function hostOf(hosting: Hosting, { project, application }: LiveBuild): ApplicationHost {
  const host = hosting.host({ project, ...application });
  host.rename(application.slug);
  return host;
}

function hostedBuild({ application, build, since }: LiveBuild): HostedBuild {
  const { id, number, allow, manifest_sha256 } = build;
  return { id, applicationId: application.id, number, allow, manifest_sha256, since };
}

function isServed(host: ApplicationHost | undefined, wanted: LiveBuild | undefined): boolean {
  if (host?.live === undefined || wanted === undefined) return host?.live === wanted;
  const { live, application, isRenamed } = host;
  const isLive = live.id === wanted.build.id && live.since === wanted.since;
  return isLive && !isRenamed && application.slug === wanted.application.slug;
}

/** What a retry is of: where something else is wanted now, it need not be waited for. */
function nameOf(wanted: LiveBuild | undefined): string {
  return wanted === undefined
    ? "none"
    : `${wanted.build.id} ${wanted.since} ${wanted.application.slug}`;
}
