/** What of the registry may be another than before, for whoever keeps some of it in memory. */
export type RegistrySignal =
  /**
   * `config`: configurations of the application may resolve to something else, it may be called
   * otherwise, or be gone. `builds`: another build may serve it, or none.
   */
  | { readonly kind: ApplicationTopic; readonly applicationId: string }
  /** Another process has changed projects or API keys. This one may hear of its own changes, too. */
  | { readonly kind: "access" }
  /** Some signals may have been missed: all of it has to be looked at. */
  | { readonly kind: "everything" };

export type ApplicationTopic = "config" | "builds";

/** Tells what was committed, in this process and in every other that uses the same database. */
export interface RegistrySignals {
  /** Whether other processes may use the same database. */
  readonly areShared: boolean;
  /**
   * Says what this process has committed. A database that tells it by itself, whoever committed it,
   * takes no notice.
   */
  announce(signal: RegistrySignal): void;
  /**
   * In place when it returns: whatever is committed after that is told, and can be read by then. It
   * may be told more than once. Returns how to stop.
   */
  subscribe(listener: (signal: RegistrySignal) => void): () => void;
  close(): Promise<void>;
}

/** Signals within this process, for a database that no other process has. */
export class LocalSignals implements RegistrySignals {
  readonly areShared = false;
  readonly #listeners = new Set<(signal: RegistrySignal) => void>();

  announce(signal: RegistrySignal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  subscribe(listener: (signal: RegistrySignal) => void): () => void {
    // Its own: one that is subscribed twice is told twice, and stops twice.
    const own = (signal: RegistrySignal) => listener(signal);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }
}
