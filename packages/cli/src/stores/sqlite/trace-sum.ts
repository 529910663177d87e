import { withoutNoise } from "@agate/spans/tree";
import type { AnalyticsFigures } from "../span-query.ts";
import { percentilesOf } from "./percentiles.ts";

/** What is added up of one trace; null where nobody knows. */
export interface TraceFigures {
  readonly isError: boolean;
  readonly cost: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  readonly latency: number | null;
}

/** The figures of a number of traces, to which more can be added. */
export class TraceSum {
  #count = 0;
  #errors = 0;
  #cost: number | null = null;
  /** What the rounding of the cost has lost so far: half a million small amounts would show it. */
  #lost = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #totalTokens = 0;
  readonly #latencies: number[] = [];

  add(trace: TraceFigures): void {
    this.#count++;
    if (trace.isError) this.#errors++;
    if (trace.cost !== null) this.#addCost(trace.cost);
    this.#inputTokens += trace.inputTokens ?? 0;
    this.#outputTokens += trace.outputTokens ?? 0;
    this.#totalTokens += trace.totalTokens ?? 0;
    if (trace.latency !== null) this.#latencies.push(trace.latency);
  }

  /** The figures of all these traces together. */
  static figuresOf(sums: readonly TraceSum[]): AnalyticsFigures {
    const all = new TraceSum();
    for (const sum of sums) {
      all.#count += sum.#count;
      all.#errors += sum.#errors;
      if (sum.#cost !== null) all.#addCost(sum.#cost);
      all.#lost += sum.#lost;
      all.#inputTokens += sum.#inputTokens;
      all.#outputTokens += sum.#outputTokens;
      all.#totalTokens += sum.#totalTokens;
    }
    return {
      count: all.#count,
      errors: all.#errors,
      cost: all.#cost === null ? null : withoutNoise(all.#cost + all.#lost),
      inputTokens: all.#inputTokens,
      outputTokens: all.#outputTokens,
      totalTokens: all.#totalTokens,
      latency: percentilesOf(joined(sums.map((sum) => sum.#latencies))),
    };
  }

  // Neumaier's sum.
  #addCost(cost: number): void {
    const before = this.#cost ?? 0;
    const after = before + cost;
    this.#lost +=
      Math.abs(before) >= Math.abs(cost) ? before - after + cost : cost - after + before;
    this.#cost = after;
  }
}

function joined(lists: readonly (readonly number[])[]): Float64Array {
  const all = new Float64Array(lists.reduce((length, list) => length + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
