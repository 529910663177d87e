import {
  formatCompactCount,
  formatDuration,
  formatScore,
  formatTotalCost,
  numberFormat,
  UNKNOWN,
  unpricedText,
} from "@agate/protocol/format";
import type { RowScore, RowScores } from "../../api/row-scores.ts";
import type { TraceRow } from "../../api/trace-row.ts";
import { formatTime } from "../../format/format-time.ts";
import { judgedText } from "../../spans/score-text.ts";
import { shownName } from "../../spans/shown-name.ts";
import type { FilterName } from "../filters/filter-fields.ts";
import type { ColumnId } from "./trace-columns.ts";

/** A cell: its text, and the filter that it offers. */
export interface CellText {
  readonly text: string;
  readonly filter?: readonly [FilterName, string];
}

/** The cells of a row. An unknown value is "–", never 0. */
export function cellText(row: TraceRow, column: ColumnId): CellText {
  switch (column) {
    case "latency":
      return { text: formatDuration(row.latency) };
    case "tokens":
      return { text: formatCompactCount(row.usage?.total_tokens ?? null) };
    case "cost":
      return { text: formatTotalCost({ cost: row.cost, unpriced_calls: row.unpricedCalls }) };
    case "revision":
      return valueCell("revision", row.revision === null ? null : String(row.revision));
    case "kind":
      return valueCell("spankind", row.kind);
    case "variant":
      return row.variant === null && row.editedFrom !== null
        ? { text: `edited from ${shownName(row.editedFrom)}` }
        : valueCell("variant", row.variant);
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
    case "scores":
      return scoresCell(row.scores);
    case "name":
      return valueCell("name", row.name);
    case "status":
      return valueCell("status", row.status);
    case "time":
      return { text: row.startedAt };
    case "preview":
      return { text: `${row.input} → ${row.output}` };
  }
}

/**
 * The exact value of a cell, which is its title. Apart from the text, which the first rows of a page have without it:
 * a browser takes many milliseconds to write the first number or date in a language.
 */
export function cellTitle(row: TraceRow, column: ColumnId): string | undefined {
  switch (column) {
    case "latency":
      return row.latency === null ? "Not ended" : `${allDigits(row.latency)} ms`;
    case "tokens":
      return exactTokens(row);
    case "cost":
      return exactCost(row);
    case "time":
      return exactTime(row.startedAt);
    case "status":
      return row.statusMessage ?? undefined;
    case "scores":
      return scoreTexts(row.scores).join("\n") || undefined;
    case "preview":
      return undefined;
    default: {
      const { text } = cellText(row, column);
      return text === UNKNOWN ? undefined : text;
    }
  }
}

function valueCell(name: FilterName, value: string | null): CellText {
  return value === null ? { text: UNKNOWN } : { text: shownName(value), filter: [name, value] };
}

/** The scores in words; the row shows them as chips. */
function scoresCell(scores: RowScores): CellText {
  const [first] = scores.shown;
  if (first === undefined) return { text: UNKNOWN };
  return { text: scoreTexts(scores).join(", "), filter: ["score", `${first.name}:any`] };
}

function scoreTexts({ shown, leftOut }: RowScores): readonly string[] {
  return [...shown.map((score) => `${score.name}: ${rowScoreText(score)}`), ...more(leftOut)];
}

function more(leftOut: number): readonly string[] {
  return leftOut === 0 ? [] : [`and ${leftOut.toLocaleString("en")} more`];
}

/**
 * The scores of one name: the only one, or the mean of several. What was skipped or has failed is named,
 * and is no part of the mean.
 *
 * @example rowScoreText(score) // "0.75 (mean of 2), 1 failed"
 */
export function rowScoreText({ count, mean, label, skipped, failed }: RowScore): string {
  const several =
    mean === null ? `${label ?? "labels"} (${count})` : `${formatScore(mean)} (mean of ${count})`;
  return [
    ...(count === 0 ? [] : [count === 1 ? judgedText(label, mean) : several]),
    ...counted(skipped, "skipped"),
    ...counted(failed, "failed"),
  ].join(", ");

  function counted(times: number, word: string): readonly string[] {
    if (times === 0) return [];
    return [times === 1 && count + skipped + failed === 1 ? word : `${times} ${word}`];
  }
}

/** The shortest text for the scores of one name: a label, a value or a status. */
export function chipText(score: RowScore): string {
  const { count, mean, label } = score;
  if (count === 0) return rowScoreText(score);
  if (label !== null) return label;
  return mean === null ? `(${count})` : formatScore(mean);
}

/** The local time, and the recorded one. */
export function exactTime(startedAt: string): string {
  return `${formatTime(startedAt)} (${startedAt})`;
}

function exactCost({ cost, unpricedCalls: unpriced_calls }: TraceRow): string {
  const exact = cost === null ? "Cost unknown" : `$${allDigits(cost)}`;
  const unpriced = unpricedText({ unpriced_calls });
  return unpriced === null ? exact : `${exact}, ${unpriced}`;
}

const allDigits = numberFormat({ maximumFractionDigits: 20, maximumSignificantDigits: 17 });

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
