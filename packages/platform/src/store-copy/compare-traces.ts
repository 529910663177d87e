import type { SpanStore } from "../stores/span-store.ts";
import type { Patience } from "./patiently.ts";
import { patiently } from "./patiently.ts";
import type { TraceName } from "./trace-sample.ts";

export interface TracesToCompare {
  readonly from: Pick<SpanStore, "traceSizes">;
  readonly to: Pick<SpanStore, "sizesOf">;
  readonly patience: { readonly from: Patience; readonly to: Patience };
  readonly signal: AbortSignal;
  /** Told of every trace of the source. */
  readonly onTrace: (trace: TraceName) => void;
}

/**
 * Asks the target for each trace of the source. Counts of both stores cannot tell this: what the
 * target holds besides makes up for what it lacks.
 *
 * @returns Those that the target does not have, or not with as many spans.
 */
export async function missingTraces(traces: TracesToCompare): Promise<TraceName[]> {
  const { from, to, patience, signal, onTrace } = traces;
  const missing: TraceName[] = [];
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted();
    const page = await patiently(patience.from, () => from.traceSizes(after));
    for (const [project, wanted] of Map.groupBy(page.items, (item) => item.project)) {
      const ids = wanted.map(({ traceId }) => traceId);
      const found = await patiently(patience.to, () => to.sizesOf(project, ids));
      for (const { traceId, spans } of wanted) {
        onTrace({ project, traceId });
        if ((found.get(traceId) ?? 0) < spans) missing.push({ project, traceId });
      }
    }
    if (page.next === null) return missing;
    after = page.next;
  }
}
