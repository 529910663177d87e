/** Counts the spans of one request that cannot be kept, by reason. */
export class RejectedSpans {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** `reason` is one of the decoder's own fixed phrases: it must never carry client input. */
  add(reason: string): void {
    this.#total += 1;
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  get total(): number {
    return this.#total;
  }

  /** `2 spans rejected: trace_id must be …`; with counts when there are several reasons. */
  get sentence(): string {
    if (this.#total === 0) return "";
    const reasons = [...this.#counts].map(([reason, count]) =>
      this.#counts.size === 1 ? reason : `${reason} (${count})`,
    );
    return `${this.#total} ${this.#total === 1 ? "span" : "spans"} rejected: ${reasons.join("; ")}`;
  }
}
