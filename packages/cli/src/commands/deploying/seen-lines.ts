import type { LogLine } from "@agate/protocol";

/**
 * Tells lines that were shown already from new ones, where a stream was lost and the last lines of
 * the log come again. Lines of the same time are counted: a program may say the same thing twice.
 */
export class SeenLines {
  #latest = "";
  #shownAtLatest = new Map<string, number>();
  /** While lines come again: how many of each. */
  #repeated: Map<string, number> | undefined;

  /** From now on lines may come a second time. */
  reconnected(): void {
    this.#repeated = new Map();
  }

  isNew({ time, build, stream, line }: LogLine): boolean {
    if (time > this.#latest) {
      this.#latest = time;
      this.#shownAtLatest.clear();
      this.#repeated = undefined;
    }
    const identity = JSON.stringify([build, stream, line]);
    if (this.#repeated !== undefined) {
      if (time < this.#latest) return false;
      const count = (this.#repeated.get(identity) ?? 0) + 1;
      this.#repeated.set(identity, count);
      if (count <= (this.#shownAtLatest.get(identity) ?? 0)) return false;
    }
    this.#shownAtLatest.set(identity, (this.#shownAtLatest.get(identity) ?? 0) + 1);
    return true;
  }
}
