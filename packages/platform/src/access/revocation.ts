/** What ends when a key is revoked: the answer to a call that was made with it, a session. */
export interface KeyUse {
  /** Among the uses of the key: set by {@link Revocation}. */
  place: number;
  onRevoked(): void;
}

/**
 * Whether a key or a session is revoked, and what must end with it. That of a session is a use of its key.
 *
 * Not an AbortSignal: every call would add a listener to it and remove it again. Not a set: V8 makes a new
 * table for a set after every few dozen entries, and the old tables, once in the old generation, keep the
 * entries in them until a full collection.
 */
export class Revocation implements KeyUse {
  place = 0;
  /** In no order. */
  readonly #uses: KeyUse[] = [];
  #isRevoked = false;

  get isRevoked(): boolean {
    return this.#isRevoked;
  }

  /** Tells a use when the key is revoked: at once where it is already. */
  add(use: KeyUse): void {
    use.place = this.#uses.length;
    if (this.#isRevoked) use.onRevoked();
    else this.#uses.push(use);
  }

  /** Forgets a use, if it is still one. */
  remove(use: KeyUse): void {
    const { place } = use;
    if (this.#uses[place] !== use) return;
    const last = this.#uses.pop() as KeyUse;
    if (last === use) return;
    last.place = place;
    this.#uses[place] = last;
  }

  revoke(): void {
    this.#isRevoked = true;
    for (const use of this.#uses.splice(0)) use.onRevoked();
  }

  onRevoked(): void {
    this.revoke();
  }
}
