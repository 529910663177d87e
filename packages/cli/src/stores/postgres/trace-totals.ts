import { buildTree, totalText } from "@agate/spans/tree";
import { mergeHeaders } from "./merge-headers.ts";
import type { SqlRunner } from "./span-database.ts";
import { isMissingDay } from "./span-database.ts";

/** The totals of all spans of some traces: by the trace's number, then by span id. */
export async function totalsOfTraces(
  runner: SqlRunner,
  traces: readonly { readonly trace_no: number; readonly day: number }[],
): Promise<Map<number, (spanId: string) => string>> {
  const totals = new Map<number, (spanId: string) => string>();
  const dayOf = new Map(traces.map(({ trace_no, day }) => [trace_no, day]));
  // One at a time: a page may show spans of many large traces.
  for (const [traceNo, day] of dayOf) {
    const merger = await mergeTrace(runner, day, traceNo);
    if (merger === undefined) continue;
    const tree = buildTree(merger.nodes);
    totals.set(traceNo, (spanId) => {
      const index = merger.indexOf(spanId);
      return totalText(tree.total(index < 0 ? tree.top : index));
    });
  }
  return totals;
}

async function mergeTrace(runner: SqlRunner, day: number, traceNo: number) {
  try {
    return (await mergeHeaders(runner, day, [traceNo])).get(traceNo);
  } catch (error) {
    if (isMissingDay(error)) return undefined;
    throw error;
  }
}
