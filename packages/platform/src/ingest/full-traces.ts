import type { AppendOutcome } from "../stores/span-store.ts";

/** The spans of a request that were rejected since their traces are full. */
export class FullTraces {
  /** Of each trace the ids: a span may come in several slices of a request. */
  readonly #spans = new Map<string, Set<string>>();
  #limit = 0;

  add({ rejected, maxSpansPerTrace }: AppendOutcome & { readonly kind: "partly-committed" }): void {
    this.#limit = maxSpansPerTrace;
    for (const { traceId, spanId } of rejected) {
      const known = this.#spans.get(traceId);
      if (known === undefined) this.#spans.set(traceId, new Set([spanId]));
      else known.add(spanId);
    }
  }

  /** How many spans. */
  get rejected(): number {
    let count = 0;
    for (const { size } of this.#spans.values()) count += size;
    return count;
  }

  /** In the form of the decoder's own sentence; empty when no span was rejected. */
  get sentence(): string {
    const [first] = this.#spans.keys();
    if (first === undefined) return "";
    const others = this.#spans.size - 1;
    const which = others === 0 ? "" : ` and ${others} ${others === 1 ? "other" : "others"}`;
    const full = `trace ${first}${which} ${others === 0 ? "holds" : "hold"} ${this.#limit} spans`;
    const count = `${this.rejected} ${this.rejected === 1 ? "span" : "spans"}`;
    return `${count} rejected: ${full}, the most in a trace (--max-spans-per-trace)`;
  }
}
