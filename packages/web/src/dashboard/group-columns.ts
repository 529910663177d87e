import type { AnalyticsFigures } from "@agate/protocol";
import { formatCompactCount, formatCost, formatDuration, plural } from "@agate/protocol/format";
import { errorRate, formatShare, knownTokens, meteredPart, pricedPart } from "./figures.ts";
import { LEFT_OUT, type ShownGroup } from "./shown-groups.ts";

export interface GroupColumn {
  readonly name: string;
  readonly label: string;
  readonly value: (of: AnalyticsFigures) => number | null;
  readonly format: (value: number | null) => string;
  /** All digits, with the unit; undefined if unknown. */
  readonly exact: (value: number | null) => string | undefined;
  /** The calls that the value is of; null where it is of all or of none. */
  readonly part: (of: AnalyticsFigures) => string | null;
}

type Unit = (value: number) => string;
const counted =
  (unit: string): Unit =>
  (value) =>
    plural(value, unit);
const percent: Unit = (value) => `${digits(100 * value)}%`;
const milliseconds: Unit = (value) => `${digits(value)} ms`;
const dollars: Unit = (value) => `$${digits(value)}`;

export const GROUP_COLUMNS: readonly GroupColumn[] = [
  column("calls", "Calls", (of) => of.count, formatCompactCount, counted("call")),
  column("errors", "Errors", (of) => of.errors, formatCompactCount, counted("error")),
  column("rate", "Error rate", errorRate, formatShare, percent),
  column("p50", "p50", (of) => of.latency?.p50 ?? null, formatDuration, milliseconds),
  column("p95", "p95", (of) => of.latency?.p95 ?? null, formatDuration, milliseconds),
  column("p99", "p99", (of) => of.latency?.p99 ?? null, formatDuration, milliseconds),
  column(
    "input",
    "Tokens in",
    (of) => knownTokens(of, "input"),
    formatCompactCount,
    counted("token"),
    meteredPart,
  ),
  column(
    "output",
    "Tokens out",
    (of) => knownTokens(of, "output"),
    formatCompactCount,
    counted("token"),
    meteredPart,
  ),
  column("cost", "Cost", (of) => of.cost, formatCost, dollars, pricedPart),
];

function column(
  name: string,
  label: string,
  value: GroupColumn["value"],
  format: GroupColumn["format"],
  unit: Unit,
  part: GroupColumn["part"] = () => null,
): GroupColumn {
  return { name, label, value, format, part, exact: (of) => (of === null ? undefined : unit(of)) };
}

function digits(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 6 });
}

/** The column and direction to sort by. */
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

/** The sort after a click on a heading: descending first, then ascending; names ascending first. */
export function nextSort(sort: GroupSort, column: string): string {
  const isRising = sort.column === column ? !sort.isRising : column === "name";
  return `${isRising ? "-" : ""}${column}`;
}

/** Unknown values come last in either direction, and after them the rest without a row of its own. */
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
