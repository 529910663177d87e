import { buildTree, totalText } from "@agate/spans/tree";
import { mergeHeaders } from "./merge-headers.ts";
import type { SqlRunner } from "./span-database.ts";
import { isMissingDay } from "./span-database.ts";

interface TracePlace {
  readonly trace_no: number;
  readonly day: number;
}

type TotalOf = (spanId: string) => string;

/** The totals of spans of a page, from the trees of their traces, which are read one at a time. */
export class TraceTotals {
  readonly #runner: SqlRunner;
  /** By the trace's number; null where the trace is gone. */
  readonly #totals = new Map<number, TotalOf | null>();

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  /** The total of a span's subtree; undefined where its trace was deleted meanwhile. */
  async of(trace: TracePlace, spanId: string): Promise<string | undefined> {
    let total = this.#totals.get(trace.trace_no);
    if (total === undefined) {
      total = await this.#read(trace);
      this.#totals.set(trace.trace_no, total);
    }
    return total?.(spanId);
  }

  async #read({ trace_no, day }: TracePlace): Promise<TotalOf | null> {
    const merger = await this.#merge(day, trace_no);
    if (merger === undefined) return null;
    const tree = buildTree(merger.nodes);
    return (spanId) => {
      const index = merger.indexOf(spanId);
      return totalText(tree.total(index < 0 ? tree.top : index));
    };
  }

  async #merge(day: number, traceNo: number) {
    try {
      return (await mergeHeaders(this.#runner, day, [traceNo])).get(traceNo);
    } catch (error) {
      if (isMissingDay(error)) return undefined;
      throw error;
    }
  }
}
