/** The API key that a build calls the platform with. */
export interface BuildKey {
  readonly key: string;
  revoke(): void;
}

/** What a key says of its build. */
export interface KeyedBuild {
  readonly id: string;
  readonly number: number;
}

/** The API keys of an environment's builds: one for each, as long as a process of it may use it. */
export class BuildKeys {
  readonly #issue: (build: KeyedBuild) => BuildKey;
  readonly #keys = new Map<string, BuildKey>();
  /** How many generations of processes of a build are being started or ended. */
  readonly #held = new Map<string, number>();

  constructor(issue: (build: KeyedBuild) => BuildKey) {
    this.#issue = issue;
  }

  of({ id, number }: KeyedBuild): string {
    const key = this.#keys.get(id) ?? this.#issue({ id, number });
    this.#keys.set(id, key);
    return key.key;
  }

  /**
   * Keeps the key of a build whose processes are being started or ended.
   *
   * @returns releases it, once: with the last, the key of a build that is not live is revoked.
   */
  hold(buildId: string | undefined): { release(liveId: string | undefined): void } {
    if (buildId === undefined) return { release: () => {} };
    this.#held.set(buildId, (this.#held.get(buildId) ?? 0) + 1);
    let isHeld = true;
    return {
      release: (liveId) => {
        if (!isHeld) return;
        isHeld = false;
        const others = (this.#held.get(buildId) ?? 1) - 1;
        if (others > 0) {
          this.#held.set(buildId, others);
          return;
        }
        this.#held.delete(buildId);
        if (liveId !== buildId) this.#revoke(buildId);
      },
    };
  }

  revokeAll(): void {
    for (const buildId of [...this.#keys.keys()]) this.#revoke(buildId);
  }

  #revoke(buildId: string): void {
    this.#keys.get(buildId)?.revoke();
    this.#keys.delete(buildId);
  }
}
