import type { SpanRecord } from "@agate/protocol";
import { countSpans } from "./call-in-trace.ts";

/** Characters of JSON that are kept of recent trees: 64 MiB, as most of them are ASCII. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** On the top record, how many spans of the trace are not in it. */
const LEFT_OUT = "ag.trace.left_out_spans";

/** What is known of a call's tree in the process that made the call. */
export type KeptTree =
  | { readonly kind: "kept"; readonly tree: SpanRecord }
  /** It is too large for this process, or was not made here. */
  | { readonly kind: "missing"; readonly leastSpans: number; readonly why: string };

/** The trees of recent calls, for scorers that ask for them. The oldest give way to new ones. */
export class KeptTraces {
  readonly #most: number;
  readonly #trees = new Map<string, string>();
  /** How many spans the trees have that gave way, or that lack some: a platform must have as many. */
  readonly #spans = new Map<string, number>();
  #characters = 0;

  constructor(most = MOST_CHARACTERS) {
    this.#most = most;
  }

  /** @param text The JSON of the tree. */
  keep(spanId: string, text: string, tree: SpanRecord): void {
    this.delete(spanId);
    const leftOut = Number(tree.metadata.attributes[LEFT_OUT] ?? 0);
    this.#spans.set(spanId, countSpans(tree) + leftOut);
    if (leftOut > 0) return;
    this.#trees.set(spanId, text);
    this.#characters += text.length;
    for (const oldest of this.#trees.keys()) {
      if (this.#characters <= this.#most) return;
      this.#drop(oldest);
    }
  }

  read(spanId: string): KeptTree {
    const text = this.#trees.get(spanId);
    if (text !== undefined) return { kind: "kept", tree: JSON.parse(text) as SpanRecord };
    const leastSpans = this.#spans.get(spanId);
    return leastSpans === undefined
      ? { kind: "missing", leastSpans: 1, why: "this process did not make the call" }
      : { kind: "missing", leastSpans, why: `with ${leastSpans} spans it is too large to be kept` };
  }

  delete(spanId: string): void {
    this.#drop(spanId);
    this.#spans.delete(spanId);
  }

  #drop(spanId: string): void {
    this.#characters -= this.#trees.get(spanId)?.length ?? 0;
    this.#trees.delete(spanId);
  }
}
