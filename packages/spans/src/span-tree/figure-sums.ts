import type { TotalFigures, Usage } from "@agate/protocol";
import { USAGE_FIELDS } from "@agate/protocol";
import type { ReportedFigures } from "./reported-figures.ts";

// Fields by number: those of the usage, then the cost.
export const COST = USAGE_FIELDS.length;
const WIDTH = COST + 1;
export const INPUT = USAGE_FIELDS.indexOf("input_tokens");
export const OUTPUT = USAGE_FIELDS.indexOf("output_tokens");

/** A field of a report; null where it was not reported. */
export function reportedField({ usage, cost }: ReportedFigures, field: number): number | null {
  if (field === COST) return cost;
  return usage?.[USAGE_FIELDS[field] as keyof Usage] ?? null;
}

/** Whether a report has tokens that cost something. */
export function hasSpentTokens({ usage }: ReportedFigures): boolean {
  return usage !== null && USAGE_FIELDS.some((field) => (usage[field] ?? 0) > 0);
}

/** The sums of the nodes of a tree. */
export class FigureSums {
  readonly #sums: Float64Array;
  /** Of how many reports each sum is. None: it is unknown, which is not 0. */
  readonly #counts: Int32Array;
  /** By node, of how many calls tokens are counted, but no cost. */
  readonly #unpriced: Int32Array;

  constructor(nodes: number) {
    this.#sums = new Float64Array(nodes * WIDTH);
    this.#counts = new Int32Array(nodes * WIDTH);
    this.#unpriced = new Int32Array(nodes);
  }

  at(node: number, field: number): number {
    return this.#sums[node * WIDTH + field] as number;
  }

  knows(node: number, field: number): boolean {
    return (this.#counts[node * WIDTH + field] as number) > 0;
  }

  knowsAny(node: number): boolean {
    for (let field = 0; field < WIDTH; field++) if (this.knows(node, field)) return true;
    return false;
  }

  count(node: number, report: ReportedFigures): void {
    for (let field = 0; field < WIDTH; field++) this.countField(node, field, report);
    if (report.cost === null && hasSpentTokens(report)) this.countUnpriced(node, 1);
  }

  /** @param calls Less than 0 to take calls back that were counted. */
  countUnpriced(node: number, calls: number): void {
    this.#unpriced[node] = (this.#unpriced[node] as number) + calls;
  }

  /** Counts the cost of a report that is of all calls below it. */
  countCostOfAll(node: number, report: ReportedFigures): void {
    if (report.cost === null) return;
    this.countField(node, COST, report);
    this.#unpriced[node] = 0;
  }

  countField(node: number, field: number, report: ReportedFigures): void {
    const value = reportedField(report, field);
    if (value !== null) this.#add(node * WIDTH + field, value, 1);
  }

  /** Takes back a field that was counted. */
  discountField(node: number, field: number, report: ReportedFigures): void {
    const value = reportedField(report, field);
    if (value !== null) this.#add(node * WIDTH + field, -value, -1);
  }

  countAllOf(node: number, into: number): void {
    const from = node * WIDTH;
    const to = into * WIDTH;
    for (let field = 0; field < WIDTH; field++) {
      const count = this.#counts[from + field] as number;
      if (count > 0) this.#add(to + field, this.#sums[from + field] as number, count);
    }
    this.countUnpriced(into, this.#unpriced[node] as number);
  }

  figuresOf(node: number): TotalFigures {
    const known = (field: number) => (this.knows(node, field) ? this.at(node, field) : null);
    const usage: Usage = {
      input_tokens: known(0),
      output_tokens: known(1),
      total_tokens: known(2),
      cached_input_tokens: known(3),
      reasoning_tokens: known(4),
    };
    const reported = USAGE_FIELDS.some((field) => usage[field] !== null);
    const cost = known(COST);
    const unpriced = this.#unpriced[node] as number;
    return {
      usage: reported ? usage : null,
      cost: cost === null ? null : withoutNoise(cost),
      ...(unpriced > 0 && { unpriced_calls: unpriced }),
    };
  }

  #add(slot: number, value: number, count: number): void {
    const sums = this.#sums;
    const counts = this.#counts;
    counts[slot] = (counts[slot] as number) + count;
    // What is left of a sum that was taken back whole is its rounding error.
    sums[slot] = counts[slot] === 0 ? 0 : (sums[slot] as number) + value;
  }
}

/**
 * 0.1 + 0.2 dollars are 0.3: what is below a millionth of a micro-dollar is the sum's own error, and
 * of large sums what comes after 15 digits.
 */
export function withoutNoise(dollars: number): number {
  return Math.abs(dollars) < 1000
    ? Math.round(dollars * 1e12) / 1e12
    : Number(dollars.toPrecision(15));
}
