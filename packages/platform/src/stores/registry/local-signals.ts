import type { RegistrySignal, RegistrySignals } from "./registry-signals.ts";

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
