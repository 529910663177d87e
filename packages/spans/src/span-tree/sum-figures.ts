import type { Figures, Usage } from "@agate/protocol";
import { USAGE_FIELDS } from "@agate/protocol";

/**
 * Tokens and cost that one span reported.
 *
 * `own`: the span spent them itself (a model call, or figures the developer stored on it).
 * `restated`: a wrapper (an agent, a chain) reported them; they count only where nothing below it
 * reports any, so that no token is counted twice.
 */
export interface ReportedFigures {
  readonly usage: Usage | null;
  readonly cost: number | null;
  readonly role: "own" | "restated";
}

/** Stands for "not reported": not 0, and not equal to itself. */
const UNKNOWN = Number.NaN;
const FIELDS = USAGE_FIELDS.length;
const COST = FIELDS;
const WIDTH = FIELDS + 1;
const INPUT = USAGE_FIELDS.indexOf("input_tokens");
const OUTPUT = USAGE_FIELDS.indexOf("output_tokens");
const NO_FIGURES: Figures = { usage: null, cost: null };

/**
 * Adds up tokens and cost from the leaves to the top, each counted once:
 * - a model call adds its own figures to those below it, unless it repeats them (the same call seen
 *   by two instrumentations);
 * - a wrapper's restated figures count only where nothing below it reports any.
 *
 * @param figuresOf What a node reported, by its index.
 * @param preorder All nodes, parents before children.
 * @param parentInTree The parent of each node; negative for the top.
 */
export function sumFigures(
  figuresOf: (node: number) => ReportedFigures | null,
  preorder: Int32Array,
  parentInTree: Int32Array,
): (node: number) => Figures {
  if (!preorder.some((node) => figuresOf(node) !== null)) return () => NO_FIGURES;
  const sums = new Float64Array(preorder.length * WIDTH).fill(UNKNOWN);
  const add = (slot: number, value: number) => {
    if (Number.isNaN(value)) return;
    const sum = sums[slot] as number;
    sums[slot] = Number.isNaN(sum) ? value : sum + value;
  };
  for (let place = preorder.length - 1; place >= 0; place--) {
    const node = preorder[place] as number;
    const base = node * WIDTH;
    const figures = figuresOf(node);
    if (figures !== null) {
      const repeats = reportsAny(sums, base) && repeatsBelow(figures, sums, base);
      if (!repeats) {
        for (let f = 0; f < FIELDS; f++) add(base + f, ownField(figures.usage, f));
      }
      if (!repeats || Number.isNaN(sums[base + COST])) {
        add(base + COST, figures.cost ?? UNKNOWN);
      }
    }
    const parent = parentInTree[node] as number;
    if (parent >= 0) {
      for (let f = 0; f < WIDTH; f++) add(parent * WIDTH + f, sums[base + f] as number);
    }
  }
  return (node) => figuresAt(sums, node * WIDTH);
}

function repeatsBelow(figures: ReportedFigures, sums: Float64Array, base: number): boolean {
  if (figures.role === "restated") return true;
  return (
    ownField(figures.usage, INPUT) === sums[base + INPUT] &&
    ownField(figures.usage, OUTPUT) === sums[base + OUTPUT]
  );
}

function ownField(usage: Usage | null, field: number): number {
  return usage?.[USAGE_FIELDS[field] as keyof Usage] ?? UNKNOWN;
}

function reportsAny(sums: Float64Array, base: number): boolean {
  for (let f = 0; f < WIDTH; f++) if (!Number.isNaN(sums[base + f])) return true;
  return false;
}

function figuresAt(sums: Float64Array, base: number): Figures {
  const known = (slot: number) => {
    const value = sums[base + slot] as number;
    return Number.isNaN(value) ? null : value;
  };
  const usage: Usage = {
    input_tokens: known(0),
    output_tokens: known(1),
    total_tokens: known(2),
    cached_input_tokens: known(3),
    reasoning_tokens: known(4),
  };
  const reported = USAGE_FIELDS.some((field) => usage[field] !== null);
  const cost = known(COST);
  return { usage: reported ? usage : null, cost: cost === null ? null : withoutNoise(cost) };
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
