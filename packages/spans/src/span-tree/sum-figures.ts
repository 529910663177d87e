import type { TotalFigures } from "@agate/protocol";
import { COST, FigureSums, INPUT, OUTPUT, reportedField } from "./figure-sums.ts";
import { type NodePlaces, RepeatedCalls } from "./repeated-calls.ts";
import type { ReportedFigures } from "./reported-figures.ts";

export interface TreeWalk extends NodePlaces {
  /** All nodes, parents before children. */
  readonly preorder: Int32Array;
  /** The parent of each node; negative for the top. */
  readonly parentInTree: Int32Array;
}

const NO_FIGURES: TotalFigures = { usage: null, cost: null };

/**
 * Adds up tokens and cost from the leaves to the top, each counted once:
 * - reports of one call (the same provider and response id) count once in every subtree that holds
 *   some of them, wherever they are in it;
 * - a model call adds its own figures to those below it, unless it repeats them (the same call seen
 *   by two instrumentations);
 * - a wrapper's restated figures count only where nothing below it reports any.
 *
 * A counted call with tokens whose cost no report of it has is unpriced: the cost is then of the others.
 *
 * @param figuresOf What a node reported, by its index.
 */
export function sumFigures(
  figuresOf: (node: number) => ReportedFigures | null,
  walk: TreeWalk,
): (node: number) => TotalFigures {
  const { preorder, parentInTree } = walk;
  const reports: (ReportedFigures | null)[] = [];
  let reported = 0;
  for (let node = 0; node < preorder.length; node++) {
    const report = figuresOf(node);
    reports.push(report);
    if (report !== null) reported++;
  }
  if (reported === 0) return () => NO_FIGURES;
  const sums = new FigureSums(reports.length);
  const calls = reported > 1 ? RepeatedCalls.among(reports, walk, sums) : null;

  for (let place = preorder.length - 1; place >= 0; place--) {
    const node = preorder[place] as number;
    const report = reports[node] as ReportedFigures | null;
    if (report !== null && !calls?.joinsBelow(node)) {
      if (!sums.knowsAny(node) || !repeatsBelow(report, sums, node)) {
        sums.count(node, report);
        calls?.begin(node);
      } else if (!sums.knows(node, COST)) {
        sums.countCostOfAll(node, report);
        if (report.cost !== null) calls?.priceAll(node);
      }
    }
    const parent = parentInTree[node] as number;
    if (parent < 0) continue;
    sums.countAllOf(node, parent);
    calls?.merge(node, parent);
  }
  return (node) => sums.figuresOf(node);
}

function repeatsBelow(report: ReportedFigures, sums: FigureSums, node: number): boolean {
  if (report.role === "restated") return true;
  const isSame = (field: number) =>
    sums.knows(node, field) && reportedField(report, field) === sums.at(node, field);
  return isSame(INPUT) && isSame(OUTPUT);
}
