import type { SpanRecord } from "@agate/protocol";

/** Characters of JSON that are kept of recent trees: 64 MiB, as most of them are ASCII. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** On the top record, how many spans of the trace are not in it. */
const LEFT_OUT = "ag.trace.left_out_spans";

/** The trees of recent calls, for scorers that ask for them. The oldest give way to new ones. */
export class KeptTraces {
  readonly #most: number;
  readonly #trees = new Map<string, string>();
  #characters = 0;

  constructor(most = MOST_CHARACTERS) {
    this.#most = most;
  }

  keep(spanId: string, tree: string): void {
    this.delete(spanId);
    this.#trees.set(spanId, tree);
    this.#characters += tree.length;
    for (const oldest of this.#trees.keys()) {
      if (this.#characters <= this.#most) return;
      this.delete(oldest);
    }
  }

  /** @throws Error where there is no complete tree: a score that needs one is then failed. */
  read(spanId: string): SpanRecord {
    const text = this.#trees.get(spanId);
    if (text === undefined) {
      throw new Error(
        "The call's trace is not kept: it is too large, or its output was not made in this run.",
      );
    }
    const tree = JSON.parse(text) as SpanRecord | null;
    if (tree === null) throw new Error("The call has no trace: telemetry is disabled.");
    const leftOut = tree.metadata.attributes[LEFT_OUT];
    if (leftOut === undefined) return tree;
    throw new Error(`The trace is incomplete: ${String(leftOut)} of its spans were left out.`);
  }

  delete(spanId: string): void {
    this.#characters -= this.#trees.get(spanId)?.length ?? 0;
    this.#trees.delete(spanId);
  }
}
