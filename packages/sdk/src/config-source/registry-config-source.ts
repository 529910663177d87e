import { isRequestBound, keepRequestAlive } from "../runtime/workers-runtime.ts";
import { CachedReference, FRESH, LruMap } from "./cached-reference.ts";
import { ChangeStream } from "./change-stream.ts";
import { type Clock, systemClock, warnOnce } from "./clock.ts";
import type { ConfigReference, ConfigResolution, ConfigSource } from "./config-source.ts";
import { detached } from "./detached.ts";
import { registryAddress } from "./registry-address.ts";
import { createRegistryClient, type RegistryClient } from "./registry-client.ts";

const REMEMBERED = 1_000;
const CHECKS_AT_ONCE = 8;

export interface HttpConfigSourceOptions {
  /** Where the platform is: `http://127.0.0.1:4100`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /**
   * Whether a connection may be held open to hear of changes. It keeps a process alive, so it is off
   * until the app serves: see `ConfigSource.startLiveUpdates`.
   */
  readonly liveUpdates?: boolean | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

const CLOSED: ConfigResolution = {
  kind: "unavailable",
  reason: "The source of configurations was closed: the app is shutting down.",
};

/** An application of which changes are heard. */
interface WatchedApplication {
  readonly name: string;
  readonly stream: ChangeStream;
  /** False while the stream is being connected. */
  isLive: boolean;
  /** A new number whenever a configuration may have changed: by an event, or unheard. */
  epoch: number;
  cancelRetry: (() => void) | null;
}

/** Asks a platform's registry: see `httpConfigSource`, which checks the options and loads it. */
export function registryConfigSource(options: HttpConfigSourceOptions): ConfigSource {
  return new RegistryConfigSource(options);
}

class RegistryConfigSource implements ConfigSource {
  readonly #client: RegistryClient;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #warn: (message: string) => void;
  /** On Cloudflare Workers nothing may be shared between requests but the answers themselves. */
  readonly #isRequestBound = isRequestBound();
  readonly #closing = new AbortController();
  readonly #watched = new Map<string, WatchedApplication>();
  readonly #resolved = new LruMap<string, CachedReference>(REMEMBERED);
  /** Apart, so that asking for a thousand things that do not exist displaces nothing that does. */
  readonly #unresolved = new LruMap<string, CachedReference>(REMEMBERED);
  readonly #checks = new Set<Promise<void>>();
  /** To be checked because something may have changed. */
  readonly #suspects = new Set<CachedReference>();
  #suspectChecks = 0;
  #epochs = 0;
  #liveUpdates: boolean;

  constructor(options: HttpConfigSourceOptions) {
    const { baseUrl, apiKey, clock = systemClock, random = Math.random } = options;
    this.#clock = clock;
    this.#random = random;
    this.#warn = warnOnce(options.onWarning, clock);
    this.#liveUpdates = (options.liveUpdates ?? false) && !this.#isRequestBound;
    this.#client = createRegistryClient({
      address: registryAddress(baseUrl, apiKey),
      // Looked up for each request, as instrumentation may replace the global one later.
      fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
      clock,
    });
  }

  resolve(reference: ConfigReference): ConfigResolution | Promise<ConfigResolution> {
    const key = keyOf(reference);
    const cached =
      this.#resolved.get(key) ?? this.#unresolved.get(key) ?? this.#added(key, reference);
    if (this.#closing.signal.aborted) return cached.resolution ?? CLOSED;
    const plan = cached.plan(this.#clock.now(), this.#isVerified(cached));
    if (plan === "check-first") {
      return this.#check(cached).then(() => cached.resolution ?? CLOSED);
    }
    if (plan === "serve") return cached.resolution ?? CLOSED;
    const check = this.#check(cached);
    // Where a check ends with its request and nothing keeps that alive, the request waits for it.
    if (this.#isRequestBound && !keepRequestAlive(check)) {
      return check.then(() => cached.resolution ?? CLOSED);
    }
    return cached.resolution ?? CLOSED;
  }

  startLiveUpdates(): void {
    // The connection would end with the request that opened it.
    if (this.#isRequestBound) return;
    this.#liveUpdates = true;
    for (const cached of this.#resolved.values()) this.#watch(cached);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the app is shutting down"));
    const streams = [...this.#watched.values()].map((application) => unwatch(application));
    await Promise.all([...streams, ...this.#checks]);
  }

  #added(key: string, reference: ConfigReference): CachedReference {
    const cached = new CachedReference(key, reference);
    this.#unresolved.set(key, cached);
    return cached;
  }

  /** Whether nothing has changed since the answer, for certain. */
  #isVerified(cached: CachedReference): boolean {
    const application = this.#watched.get(cached.reference.application);
    return application?.isLive === true && cached.epoch === application.epoch;
  }

  #check(cached: CachedReference): Promise<void> {
    // A request that is cancelled leaves its check unsettled for good, so none waits for another's.
    if (this.#isRequestBound)
      return detached(() => this.#ask(cached, new AbortController().signal));
    if (cached.check !== null) return cached.check;
    const check = detached(() => this.#ask(cached, this.#closing.signal)).finally(() => {
      this.#checks.delete(check);
    });
    cached.check = check;
    this.#checks.add(check);
    return check;
  }

  async #ask(cached: CachedReference, signal: AbortSignal): Promise<void> {
    const sentAt = this.#clock.now();
    const epoch = this.#watched.get(cached.reference.application)?.epoch ?? 0;
    cached.attempted(sentAt);
    const answer = await this.#client.config(cached.reference, cached, signal);
    const wasResolved = cached.isResolved;
    cached.check = null;
    cached.settle(answer, sentAt, epoch);
    if (signal.aborted) return;
    if (answer.kind === "failed") this.#warn(answer.reason);
    if (cached.isResolved !== wasResolved) this.#move(cached);
    this.#watch(cached);
    this.#checkAgain(cached, answer.kind === "failed");
  }

  #move(cached: CachedReference): void {
    if (!cached.isResolved) {
      this.#resolved.delete(cached.key);
      this.#unresolved.set(cached.key, cached);
      this.#unwatchUnused(cached.reference.application);
      return;
    }
    this.#unresolved.delete(cached.key);
    const forgotten = this.#resolved.set(cached.key, cached);
    if (forgotten !== undefined) this.#unwatchUnused(forgotten.reference.application);
  }

  /** Something changed while the check was under way, or it failed after something changed. */
  #checkAgain(cached: CachedReference, hasFailed: boolean): void {
    const application = this.#watched.get(cached.reference.application);
    if (!application?.isLive || !cached.isResolved || cached.isImmutable) return;
    if (cached.epoch === application.epoch) return;
    if (!hasFailed) {
      this.#suspects.add(cached);
      this.#checkSuspects();
      return;
    }
    application.cancelRetry ??= this.#clock.after(FRESH, () => {
      application.cancelRetry = null;
      this.#suspect(application);
    });
  }

  #watch(cached: CachedReference): void {
    const name = cached.reference.application;
    if (!this.#liveUpdates || !cached.isResolved || cached.isImmutable) return;
    if (this.#watched.has(name) || this.#closing.signal.aborted) return;
    const stream = detached(
      () =>
        new ChangeStream({
          clock: this.#clock,
          random: this.#random,
          connect: (signal) => this.#client.changes(name, signal),
          onOpen: () => this.#changed(application, this.#clock.now(), true),
          onChange: () => this.#changed(application, this.#clock.now(), true),
          onLost: (heardAt) => this.#changed(application, heardAt, false),
          onFailure: (reason) =>
            this.#warn(
              `Changes to the configuration of ${JSON.stringify(name)} are not heard of at once, only by asking now and then. ${reason}`,
            ),
        }),
    );
    const application: WatchedApplication = {
      name,
      stream,
      isLive: false,
      epoch: ++this.#epochs,
      cancelRetry: null,
    };
    this.#watched.set(name, application);
  }

  #unwatchUnused(name: string): void {
    const application = this.#watched.get(name);
    if (application === undefined) return;
    for (const cached of this.#resolved.values()) if (cached.reference.application === name) return;
    this.#watched.delete(name);
    void unwatch(application);
  }

  /** Something changed, or may have changed: what was verified until now no longer is. */
  #changed(application: WatchedApplication, knownUntil: number, isLive: boolean): void {
    for (const cached of this.#resolved.values()) {
      if (cached.reference.application !== application.name) continue;
      if (this.#isVerified(cached)) cached.knownUntil(knownUntil);
    }
    for (const cached of this.#unresolved.values()) {
      if (cached.reference.application === application.name) cached.expire();
    }
    application.isLive = isLive;
    application.epoch = ++this.#epochs;
    this.#suspect(application);
  }

  #suspect(application: WatchedApplication): void {
    if (!application.isLive) return;
    for (const cached of this.#resolved.values()) {
      if (cached.reference.application !== application.name || cached.isImmutable) continue;
      if (!this.#isVerified(cached)) this.#suspects.add(cached);
    }
    this.#checkSuspects();
  }

  /** A few at a time: an event must not become a thousand requests at once. */
  #checkSuspects(): void {
    for (const cached of this.#suspects) {
      if (this.#suspectChecks >= CHECKS_AT_ONCE || this.#closing.signal.aborted) return;
      this.#suspects.delete(cached);
      this.#suspectChecks += 1;
      void this.#check(cached).then(() => {
        this.#suspectChecks -= 1;
        this.#checkSuspects();
      });
    }
  }
}

function unwatch(application: WatchedApplication): Promise<void> {
  application.isLive = false;
  application.cancelRetry?.();
  return application.stream.stop();
}

function keyOf(reference: ConfigReference): string {
  const { application } = reference;
  // The length keeps two names from being read as two others.
  const prefix = `${application.length} ${application}`;
  return reference.by === "environment"
    ? `${prefix} environment ${reference.environment}`
    : `${prefix} variant ${reference.revision} ${reference.variant}`;
}
