/** Says which applications' configurations may resolve to something else than before. */
export interface ChangeFeed {
  /** Called after the commit. */
  publish(applicationId: string): void;
  /** In place when it returns: whatever is published after that is told. Returns how to stop. */
  subscribe(applicationId: string, listener: () => void): () => void;
}

export function createChangeFeed(): ChangeFeed {
  const listeners = new Map<string, Set<() => void>>();
  return {
    publish(applicationId) {
      for (const listener of listeners.get(applicationId) ?? []) listener();
    },
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
