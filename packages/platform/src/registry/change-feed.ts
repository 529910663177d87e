import type { RegistrySignals } from "../stores/registry/registry-signals.ts";

/** Says which applications' configurations may resolve to something else than before. */
export interface ChangeFeed {
  /** In place when it returns: whatever is committed after that is told. Returns how to stop. */
  subscribe(applicationId: string, listener: () => void): () => void;
}

/** The feed of each application, in what is told of all. It listens as long as there are signals. */
export function createChangeFeed(signals: Pick<RegistrySignals, "subscribe">): ChangeFeed {
  const listeners = new Map<string, Set<() => void>>();
  signals.subscribe((signal) => {
    if (signal.kind === "config") tell(listeners.get(signal.applicationId));
    else if (signal.kind === "everything") for (const known of listeners.values()) tell(known);
  });
  return {
    subscribe(applicationId, listener) {
      const known = listeners.get(applicationId) ?? new Set();
      listeners.set(applicationId, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0) listeners.delete(applicationId);
      };
    },
  };
}

function tell(listeners: ReadonlySet<() => void> | undefined): void {
  for (const listener of listeners ?? []) listener();
}
