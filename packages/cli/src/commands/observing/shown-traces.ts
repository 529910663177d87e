import type { ListedSpan } from "@agate/protocol";

const REMEMBERED = 10_000;

/** Which traces were printed, and how they were then: one that has grown is news again. */
export class ShownTraces {
  readonly #shown = new Map<string, string>();

  isNews({ trace_id, id, status, metadata }: ListedSpan): boolean {
    const state = JSON.stringify([id, status, metadata.latency, metadata.total]);
    if (this.#shown.get(trace_id) === state) return false;
    this.#shown.delete(trace_id);
    this.#shown.set(trace_id, state);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > REMEMBERED && oldest !== undefined) this.#shown.delete(oldest);
    return true;
  }
}
