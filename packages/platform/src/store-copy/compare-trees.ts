import { DamagedSegmentError } from "../stores/segments/segment-checksum.ts";
import type { SpanStore } from "../stores/span-store.ts";
import type { Patience } from "./patiently.ts";
import { patiently } from "./patiently.ts";
import type { TraceName } from "./trace-sample.ts";
import { treeDigest } from "./tree-digest.ts";

/** Traces that are compared at a time. */
const AT_ONCE = 8;

export interface TreesToCompare {
  readonly from: SpanStore;
  readonly to: SpanStore;
  readonly traces: readonly TraceName[];
  readonly patience: { readonly from: Patience; readonly to: Patience };
  readonly signal: AbortSignal;
  readonly onCompared: (count: number) => void;
}

export interface TreeComparison {
  /** How many were; one that is gone from the source by now cannot be. */
  readonly compared: number;
  /** Those whose answers are not the same bytes. */
  readonly differing: readonly TraceName[];
}

/** Whether both stores answer the same when they are asked for these traces. */
export async function compareTrees(trees: TreesToCompare): Promise<TreeComparison> {
  const { from, to, traces, patience, signal, onCompared } = trees;
  const differing: TraceName[] = [];
  let compared = 0;
  const compare = async (trace: TraceName): Promise<void> => {
    const [wanted, found] = await Promise.all([
      patiently(patience.from, () => treeDigest(from, trace)),
      patiently(patience.to, () => treeDigest(to, trace)).catch(differsIfDamaged),
    ]);
    if (wanted === null) return;
    compared++;
    if (wanted !== found) differing.push(trace);
  };
  for (let at = 0; at < traces.length; at += AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(traces.slice(at, at + AT_ONCE).map(compare));
    onCompared(compared);
  }
  return { compared, differing };
}

/** No digest is an empty text. */
function differsIfDamaged(error: unknown): string {
  if (error instanceof DamagedSegmentError) return "";
  throw error;
}
