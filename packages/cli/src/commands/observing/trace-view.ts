import type { SpanRecord } from "@agate/protocol";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatTotalCost,
  plural,
  UNKNOWN,
  unpricedText,
} from "@agate/protocol/format";
import { printableLine } from "../../terminal/printable.ts";
import type { Paint, Style } from "../../terminal/terminal.ts";
import {
  clippedLine,
  cutText,
  MOST_CELL_COLUMNS,
  MOST_LINE_COLUMNS,
  padText,
  textWidth,
} from "../../terminal/text-width.ts";
import type { Interval, TreeLine } from "../../terminal/tree-lines.ts";
import { durationBar, treeLines } from "../../terminal/tree-lines.ts";
import { timeInFull } from "../client/times.ts";
import { scoreText } from "./score-text.ts";
import { statusCell, variantText } from "./trace-rows.ts";

export interface TraceViewOptions {
  /** Undefined in a pipe: only endless names and messages are cut. */
  readonly columns: number | undefined;
  readonly paint: Paint;
  readonly now: number;
  /** Levels below the top. */
  readonly depth: number;
}

const MARKS: Readonly<Record<string, string>> = { OK: "✓", ERROR: "✗", CANCELLED: "⊘" };
const KIND_WIDTH = 9;
const TIME_WIDTH = 9;
const TOKENS_WIDTH = 7;
const COST_WIDTH = 9;
const FIXED_WIDTH = KIND_WIDTH + TIME_WIDTH + TOKENS_WIDTH + COST_WIDTH + 5;
const ID_WIDTH = 16;
/** From this width on, ids are shown. */
const WIDE = 120;
const BAR = { least: 8, most: 40 } as const;

/** What each line needs beside its span. */
interface Layout extends TraceViewOptions {
  readonly axis: Interval;
  readonly nameWidth: number;
  readonly barWidth: number;
  /** Where there is room for them: `--span` takes one. */
  readonly showsIds: boolean;
}

/** A trace, or a part of one, as a tree with a line a span. */
export function* traceLines(top: SpanRecord, options: TraceViewOptions): Generator<string> {
  const { depth } = options;
  const lines = [...treeLines(top, (span) => span.children ?? [])];
  yield* summaryLines(top, lines.length, options);
  yield "";
  const layout = layOut(lines, options);
  let hidden = 0;
  let above = "";
  for (const [index, line] of lines.entries()) {
    if (line.depth <= depth) {
      above = line.continuation.slice(0, -3);
      yield spanLine(line, layout);
      yield* errorLines(line, layout);
      yield* scoreLines(line, layout);
      continue;
    }
    hidden++;
    // The next one is above the limit again: this was the last below the span that was shown.
    if ((lines[index + 1]?.depth ?? 0) > depth) continue;
    yield options.paint("dim", `${above}└─ … ${plural(hidden, "span")} below`);
    hidden = 0;
  }
}

function* summaryLines(
  top: SpanRecord,
  count: number,
  { paint, now }: TraceViewOptions,
): Generator<string> {
  const { metadata } = top;
  const { text, style } = statusCell(top);
  yield `${paint("bold", `Trace ${printableLine(top.trace_id)}`)}  ${timeInFull({ now }, top.created_at)}`;
  const whose = [
    metadata.application,
    variantText(top.variant),
    top.environment,
    top.user_id === null ? null : `user ${top.user_id}`,
    metadata.session_id === null ? null : `session ${metadata.session_id}`,
  ].filter((part) => part !== null && part !== UNKNOWN);
  if (whose.length > 0) yield clippedLine(whose.join(" · "), MOST_LINE_COLUMNS);
  const { usage, cost } = metadata.total;
  const unpriced = unpricedText(metadata.total);
  const tokens = usage?.total_tokens ?? null;
  yield [
    paint(style, text),
    formatDuration(metadata.latency),
    plural(count, "span"),
    ...(tokens === null ? [] : [plural(tokens, "token")]),
    ...(cost === null ? [] : [formatTotalCost(metadata.total)]),
    ...(unpriced === null ? [] : [unpriced]),
  ].join(" · ");
}

function layOut(lines: readonly TreeLine<SpanRecord>[], options: TraceViewOptions): Layout {
  const axis = { start: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY };
  let widest = 0;
  for (const { prefix, node, depth } of lines) {
    const { start, end } = spanInterval(node);
    axis.start = Math.min(axis.start, start);
    axis.end = Math.max(axis.end, end);
    if (depth > options.depth) continue;
    widest = Math.max(widest, textWidth(prefix) + 2 + textWidth(nameOf(node)));
  }
  if (options.columns === undefined) {
    return { ...options, axis, nameWidth: widest, barWidth: BAR.most, showsIds: true };
  }
  const showsIds = options.columns >= WIDE;
  const taken = showsIds ? FIXED_WIDTH + ID_WIDTH + 1 : FIXED_WIDTH;
  const available = Math.max(options.columns - taken, BAR.least + 12);
  const nameWidth = Math.min(widest, Math.max(available - BAR.most, Math.floor(available * 0.7)));
  return {
    ...options,
    axis,
    nameWidth,
    barWidth: Math.min(BAR.most, available - nameWidth),
    showsIds,
  };
}

function spanLine({ node, prefix }: TreeLine<SpanRecord>, layout: Layout): string {
  const { paint, nameWidth, barWidth, axis, showsIds } = layout;
  const { status, metadata } = node;
  const { text, style } = statusCell(node);
  const isError = status === "ERROR";
  const room = Math.max(1, nameWidth - textWidth(prefix) - 2);
  const name = padText(cutText(nameOf(node), room), room);
  const bar = durationBar(spanInterval(node), axis, barWidth);
  const tokens = metadata.usage?.total_tokens ?? null;
  return [
    paint("dim", prefix) +
      paint(style, MARKS[text] ?? "·") +
      ` ${isError ? paint("red", name) : name}`,
    paint(kindStyle(node), padText(clippedLine(node.spankind, KIND_WIDTH), KIND_WIDTH)),
    padText(formatDuration(metadata.latency), TIME_WIDTH, "right"),
    paint(isError ? "red" : kindStyle(node), bar),
    padText(tokens === null ? "" : formatCount(tokens), TOKENS_WIDTH, "right"),
    padText(metadata.cost === null ? "" : formatCost(metadata.cost), COST_WIDTH, "right"),
    showsIds ? paint("dim", printableLine(node.id)) : "",
  ]
    .join(" ")
    .trimEnd();
}

function kindStyle({ spankind }: SpanRecord): Style {
  if (spankind === "LLM" || spankind === "EMBEDDING") return "magenta";
  if (spankind === "TOOL" || spankind === "RETRIEVER" || spankind === "RERANKER") return "yellow";
  return spankind === "UNKNOWN" ? "dim" : "cyan";
}

function* errorLines(
  { node, continuation }: TreeLine<SpanRecord>,
  layout: Layout,
): Generator<string> {
  const message = node.status === "ERROR" ? errorMessage(node) : null;
  if (message === null) return;
  const { paint } = layout;
  yield paint("dim", continuation) +
    paint("red", clippedLine(message, roomBehind(continuation, layout)));
}

function* scoreLines(
  { node, continuation }: TreeLine<SpanRecord>,
  layout: Layout,
): Generator<string> {
  const { scores = [] } = node.metadata;
  if (scores.length === 0) return;
  const text = clippedLine(scores.map(scoreText).join(" · "), roomBehind(continuation, layout));
  yield layout.paint("dim", continuation) + layout.paint("cyan", text);
}

function roomBehind(continuation: string, { columns }: Layout): number {
  return columns === undefined
    ? MOST_LINE_COLUMNS
    : Math.max(20, columns - continuation.length - 2);
}

function nameOf({ name }: SpanRecord): string {
  return clippedLine(name, MOST_CELL_COLUMNS);
}

/** From start to end in microseconds; a span that never ended takes no time. */
function spanInterval({ created_at, metadata }: SpanRecord): Interval {
  const start = toMicroseconds(created_at);
  return { start, end: start + (metadata.latency ?? 0) * 1000 };
}

/** `Date` stops at milliseconds, and many a span is shorter. */
function toMicroseconds(time: string): number {
  const micros = /\.\d{3}(\d{3})/.exec(time)?.[1] ?? "0";
  return Date.parse(time) * 1000 + Number(micros);
}

/** What went wrong: the status says it, else the exception that was recorded. */
function errorMessage({ metadata }: SpanRecord): string | null {
  if (metadata.status_message) return metadata.status_message;
  for (const { name, attributes } of metadata.events) {
    const message = attributes["exception.message"];
    if (name === "exception" && typeof message === "string" && message !== "") return message;
  }
  return null;
}
