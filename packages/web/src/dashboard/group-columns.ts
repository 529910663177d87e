import type { AnalyticsFigures } from "@agate/protocol";
import { formatCost } from "../format/format-cost.ts";
import { formatCount } from "../format/format-count.ts";
import { formatLatency } from "../format/format-latency.ts";
import { errorRate, formatShare } from "./format-share.ts";
import { LEFT_OUT, type ShownGroup } from "./shown-groups.ts";

export interface GroupColumn {
  readonly name: string;
  readonly label: string;
  readonly value: (of: AnalyticsFigures) => number | null;
  readonly format: (value: number | null) => string;
}

export const GROUP_COLUMNS: readonly GroupColumn[] = [
  { name: "calls", label: "Calls", value: (of) => of.count, format: formatCount },
  { name: "errors", label: "Errors", value: (of) => of.errors, format: formatCount },
  { name: "rate", label: "Error rate", value: errorRate, format: formatShare },
  { name: "p50", label: "p50", value: (of) => of.latency?.p50 ?? null, format: formatLatency },
  { name: "p95", label: "p95", value: (of) => of.latency?.p95 ?? null, format: formatLatency },
  { name: "p99", label: "p99", value: (of) => of.latency?.p99 ?? null, format: formatLatency },
  { name: "input", label: "Tokens in", value: (of) => of.tokens.input, format: formatCount },
  { name: "output", label: "Tokens out", value: (of) => of.tokens.output, format: formatCount },
  { name: "cost", label: "Cost", value: (of) => of.cost, format: formatCost },
];

/** Which column, and which end first. */
export interface GroupSort {
  readonly column: string;
  readonly isRising: boolean;
}

/** @example parseSort("-p95") // the lowest p95 first */
export function parseSort(text: string | undefined): GroupSort {
  const name = text?.replace(/^-/, "");
  const column = [...GROUP_COLUMNS.map((each) => each.name), "name"].find((each) => each === name);
  return { column: column ?? "calls", isRising: text?.startsWith("-") === true };
}

/** The sort after a click on a column: first its highest, then its lowest; names begin with A. */
export function nextSort(sort: GroupSort, column: string): string {
  const isRising = sort.column === column ? !sort.isRising : column === "name";
  return `${isRising ? "-" : ""}${column}`;
}

/** What is unknown comes last, whichever end is first; and after that all that have no row of their own. */
export function sortGroups(
  groups: readonly ShownGroup[],
  { column, isRising }: GroupSort,
): readonly ShownGroup[] {
  const sign = isRising ? 1 : -1;
  const value = GROUP_COLUMNS.find(({ name }) => name === column)?.value;
  return [...groups].sort((a, b) => {
    if (a.id === LEFT_OUT || b.id === LEFT_OUT) return a.id === LEFT_OUT ? 1 : -1;
    if (value === undefined) return sign * a.label.localeCompare(b.label, "en");
    const [left, right] = [value(a.figures), value(b.figures)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left - right);
  });
}
