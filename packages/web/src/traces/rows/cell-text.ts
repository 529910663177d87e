import { formatCompactCount, formatCost, formatDuration } from "@agate/protocol/format";
import type { TraceRow } from "../../api/trace-row.ts";
import { formatTime } from "../../format/format-time.ts";
import { shownName } from "../../spans/shown-name.ts";
import type { FilterName } from "../filters/filter-fields.ts";
import type { ColumnId } from "./trace-columns.ts";

/** A cell: its text, the exact value as its title, and the filter that it offers. */
export interface CellText {
  readonly text: string;
  readonly title: string | undefined;
  readonly filter?: readonly [FilterName, string];
}

/** The cells of a row. An unknown value is "–", never 0. */
export function cellText(row: TraceRow, column: ColumnId): CellText {
  switch (column) {
    case "latency":
      return { text: formatDuration(row.latency), title: exactLatency(row.latency) };
    case "tokens":
      return { text: formatCompactCount(row.usage?.total_tokens ?? null), title: exactTokens(row) };
    case "cost":
      return { text: formatCost(row.cost), title: exactCost(row.cost) };
    case "revision":
      return valueCell("revision", row.revision === null ? null : String(row.revision));
    case "kind":
      return valueCell("spankind", row.kind);
    case "variant":
      if (row.variant === null && row.editedFrom !== null) {
        const text = `edited from ${shownName(row.editedFrom)}`;
        return { text, title: text };
      }
      return valueCell("variant", row.variant);
    case "environment":
      return valueCell("environment", row.environment);
    case "user":
      return valueCell("user_id", row.userId);
    case "application":
      return valueCell("application", row.application);
    case "route":
      return valueCell("route", row.route);
    case "session":
      return valueCell("session_id", row.sessionId);
    case "name":
      return valueCell("name", row.name);
    case "status":
      return { ...valueCell("status", row.status), title: row.statusMessage ?? undefined };
    case "time":
      return { text: row.startedAt, title: exactTime(row.startedAt) };
    case "preview":
      return { text: `${row.input} → ${row.output}`, title: undefined };
  }
}

function valueCell(name: FilterName, value: string | null): CellText {
  if (value === null) return { text: "–", title: undefined };
  const shown = shownName(value);
  return { text: shown, title: shown, filter: [name, value] };
}

/** The local time, and the recorded one. */
export function exactTime(startedAt: string): string {
  return `${formatTime(startedAt)} (${startedAt})`;
}

function exactLatency(latency: number | null): string | undefined {
  return latency === null ? "Not ended" : `${latency.toLocaleString("en", ALL_DIGITS)} ms`;
}

function exactCost(cost: number | null): string | undefined {
  return cost === null ? "Cost unknown" : `$${cost.toLocaleString("en", ALL_DIGITS)}`;
}

const ALL_DIGITS = { maximumFractionDigits: 20, maximumSignificantDigits: 17 } as const;

function exactTokens({ usage }: TraceRow): string | undefined {
  if (usage === null) return "Tokens unknown";
  const parts = [
    [usage.input_tokens, "in"],
    [usage.cached_input_tokens, "cached"],
    [usage.output_tokens, "out"],
    [usage.reasoning_tokens, "reasoning"],
    [usage.total_tokens, "total"],
  ] as const;
  return parts
    .flatMap(([count, what]) => (count === null ? [] : [`${count.toLocaleString("en")} ${what}`]))
    .join(", ");
}
