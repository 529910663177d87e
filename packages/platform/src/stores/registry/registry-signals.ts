/** What may have changed in the registry, for components that cache it. */
export type RegistrySignal =
  /**
   * `config`: the application's configurations may resolve differently, or the application was renamed or
   * deleted. `builds`: another build, or none, may serve it. `variables`: those of an environment of it
   * have changed.
   */
  | { readonly kind: ApplicationTopic; readonly applicationId: string }
  /** Projects or API keys have changed, by another process or this one. */
  | { readonly kind: "access" }
  /** Signals may have been missed: caches must be reloaded. */
  | { readonly kind: "everything" };

export type ApplicationTopic = "config" | "builds" | "variables";

/** Announces what was committed, by this process and every other that uses the same database. */
export interface RegistrySignals {
  /** Whether other processes may use the same database. */
  readonly areShared: boolean;
  /**
   * Announces what this process has committed. Does nothing where the database itself notifies of every
   * commit.
   */
  announce(signal: RegistrySignal): void;
  /**
   * Subscribed when it returns: every later commit is announced, at least once, after it can be read.
   * @returns Unsubscribes.
   */
  subscribe(listener: (signal: RegistrySignal) => void): () => void;
  close(): Promise<void>;
}

/** Signals within this process, for a database that no other process uses. */
export class LocalSignals implements RegistrySignals {
  readonly areShared = false;
  readonly #listeners = new Set<(signal: RegistrySignal) => void>();

  announce(signal: RegistrySignal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  subscribe(listener: (signal: RegistrySignal) => void): () => void {
    // A wrapper of its own: a listener that is subscribed twice is called twice, and unsubscribed twice.
    const own = (signal: RegistrySignal) => listener(signal);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }
}
