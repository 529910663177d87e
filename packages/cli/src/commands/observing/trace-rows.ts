import { AGATE_ATTRIBUTES, type ListedSpan, type SpanStatus } from "@agate/protocol";
import {
  costPartOf,
  formatCost,
  formatCount,
  formatDuration,
  formatTotalCost,
  plural,
  UNKNOWN,
} from "@agate/protocol/format";
import type { Cell, Column, Row } from "../../terminal/table.ts";
import type { Style } from "../../terminal/terminal.ts";
import { type Clock, timeCell } from "../client/times.ts";

/** A trace in a list. The id comes last, where it is copied from. */
export const TRACE_COLUMNS: readonly Column[] = [
  { title: "TIME", usual: 10, dispensable: 2 },
  { title: "NAME", least: 12, usual: 24 },
  { title: "STATUS" },
  { title: "LATENCY", align: "right", usual: 8, dispensable: 1 },
  { title: "TOKENS", align: "right", usual: 7, dispensable: 5 },
  { title: "COST", align: "right", usual: 8, dispensable: 6 },
  { title: "VARIANT", least: 10, usual: 12, dispensable: 3 },
  { title: "ENVIRONMENT", least: 10, usual: 11, dispensable: 4 },
  { title: "TRACE", usual: 32 },
];

const STATUS_STYLES: Readonly<Record<SpanStatus, Style>> = {
  OK: "green",
  ERROR: "red",
  UNSET: "dim",
};

/** The status as a reader sees it: a span that was cancelled has none of OpenTelemetry's. */
export function statusCell({ status, metadata }: ListedSpan): {
  readonly text: string;
  readonly style: Style;
} {
  if (status === "UNSET" && metadata.cancelled) return { text: "CANCELLED", style: "yellow" };
  return { text: status, style: STATUS_STYLES[status] ?? "dim" };
}

/** The status of a trace: that of its top and, where that is fine, how many spans below it failed. */
function traceStatusCell(span: ListedSpan): Cell {
  const { failed_spans: failed = 0 } = span.metadata;
  const { text, style } = statusCell(span);
  if (failed === 0 || span.status === "ERROR") return { text, style };
  return { text: `${text}, ${formatCount(failed)} failed`, style: "yellow" };
}

export function traceRow(clock: Clock, span: ListedSpan): Row {
  const { metadata, variant } = span;
  return [
    timeCell(clock, span.created_at),
    nameCell(span),
    traceStatusCell(span),
    formatDuration(metadata.latency),
    formatCount(metadata.total.usage?.total_tokens ?? null),
    formatTotalCost(metadata.total),
    variantText(variant),
    span.environment ?? UNKNOWN,
    span.trace_id,
  ];
}

/** `invoke_workflow summarize`; where there is little room, the route alone: `/summarize`. */
function nameCell({ name, metadata }: ListedSpan): Cell {
  const route = metadata.attributes[AGATE_ATTRIBUTES.route];
  return typeof route === "string" ? { text: name, short: route } : name;
}

/** @example "default@3" */
export function variantText({ variant_name, variant_id, revision }: ListedSpan["variant"]): string {
  const name = variant_name ?? variant_id;
  if (name === null) return UNKNOWN;
  return revision === null ? name : `${name}@${revision}`;
}

/**
 * What the listed traces cost together, and how many of them it is of, in full or in part; undefined where no cost
 * is known, and for a single trace, whose row has it.
 *
 * @example "Cost: $1.20 for 60 of 100 traces, 2 in part"
 */
export function costLine(spans: readonly ListedSpan[]): string | undefined {
  const known = spans.map(({ metadata }) => metadata.total).filter(({ cost }) => cost !== null);
  if (known.length === 0 || spans.length < 2) return undefined;
  const sum = known.reduce((total, { cost }) => total + (cost ?? 0), 0);
  const priced = known.filter(({ unpriced_calls: unpriced }) => unpriced === undefined).length;
  const of =
    costPartOf({ all: spans.length, known: known.length, priced }, "traces") ??
    plural(spans.length, "trace");
  return `Cost: ${formatCost(sum)} for ${of}`;
}
