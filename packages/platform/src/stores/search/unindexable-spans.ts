import type { StoreTrouble } from "../store-errors.ts";

/** The ids of a span, as far as they are known. */
interface SpanName {
  readonly traceId?: string;
  readonly spanId: string;
}

/**
 * Counts the spans of one step whose text could not be indexed. Such a span is stored and read like
 * any other; only a search for its words does not find it.
 */
export class UnindexableSpans {
  #count = 0;
  #first: { readonly name: SpanName; readonly error: unknown } | undefined;

  add(name: SpanName, error: unknown): void {
    this.#count++;
    this.#first ??= { name, error };
  }

  /** One report for all of them, with the first as the example. */
  report(onTrouble: (trouble: StoreTrouble) => void): void {
    if (this.#first === undefined) return;
    const { name, error } = this.#first;
    const which =
      name.traceId === undefined
        ? `span ${name.spanId}`
        : `span ${name.spanId} of trace ${name.traceId}`;
    const what =
      this.#count === 1
        ? `The text of ${which} cannot be indexed: searches do not find it.`
        : `The texts of ${this.#count} spans cannot be indexed, the first being ${which}: searches do not find them.`;
    onTrouble({ what, error });
  }
}
