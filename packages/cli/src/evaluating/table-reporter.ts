import type { ColumnFigures, ScoreFigures } from "@agate/protocol";
import {
  formatDifference,
  formatInterval,
  formatScore,
  type GateSentence,
} from "@agate/protocol/evaluations";
import { formatCost, formatCount, formatDuration, plural } from "@agate/protocol/format";
import { printableLine } from "../terminal/printable.ts";
import { type Column, layOutTable, type Row, tableHead, tableLine } from "../terminal/table.ts";
import type { Paint, Style } from "../terminal/terminal.ts";
import { clippedLine, padText } from "../terminal/text-width.ts";
import {
  type EvaluationReport,
  type EvaluationResult,
  gateSentencesOf,
} from "./evaluation-report.ts";
import type { FailedCall } from "./run-evaluation.ts";

/** Cases and failures that a table names; the rest is counted. */
const MOST_LISTED = 10;
/** Of a line that is printed into a pipe. */
const PIPE_COLUMNS = 200;

/** What a person reads of an evaluation's run. */
export function tableReport(
  report: EvaluationReport,
  paint: Paint,
  columns: number | undefined,
): string[] {
  const width = columns ?? PIPE_COLUMNS;
  return [
    ...headLines(report, paint),
    "",
    ...scoreTable(report, paint, columns),
    "",
    ...callTable(report, paint, columns),
    ...section("Gates", gateLines(gateSentencesOf(report), paint, width), paint),
    ...section("Worse than the baseline", worseLines(report, width), paint),
    ...section("Failed calls", failedCalls(report, width), paint),
    ...section("Failed scores", failedScores(report, width), paint),
    "",
    ...resultLines(report, paint),
    ...(report.address === null ? [] : [`Reported to ${printableLine(report.address)}`]),
  ];
}

function headLines({ name, route, testset, trials, outcome }: EvaluationReport, paint: Paint) {
  const { run, columns } = outcome.header;
  const size = `${plural(testset.cases, "case")}${trials > 1 ? ` × ${trials} trials` : ""}`;
  const compared = columns.baseline === null ? "" : `, baseline ${columns.baseline}`;
  return [
    `${paint("bold", printableLine(name))}  ${printableLine(route)}, ${size} of ${printableLine(testset.source)}`,
    paint("dim", printableLine(`run ${run}, candidate ${columns.candidate}${compared}`)),
  ];
}

function scoreTable(
  { outcome: { summary } }: EvaluationReport,
  paint: Paint,
  available: number | undefined,
): string[] {
  const hasBaseline = summary.figures.columns.length > 1;
  const columns: Column[] = [
    { title: "score", least: 12 },
    { title: "candidate", align: "right" },
    ...(hasBaseline
      ? ([
          { title: "baseline", align: "right" },
          { title: "difference", align: "right" },
          { title: "95 % interval" },
        ] as const)
      : []),
    { title: "skipped", align: "right", dispensable: 1 },
    { title: "failed", align: "right" },
  ];
  const rows = summary.figures.scores.map(scoreRow);
  const layout = layOutTable(columns, rows, available);
  return [tableHead(layout, paint), ...rows.map((row) => tableLine(layout, row, paint))];
}

function scoreRow({ score, columns: [candidate, baseline], comparison }: ScoreFigures): Row {
  const both = (count: "skipped" | "failed") => {
    const one = candidate?.[count] ?? 0;
    const other = baseline?.[count] ?? 0;
    if (one + other === 0) return "–";
    return baseline === undefined ? `${one}` : `${one} / ${other}`;
  };
  const failed = (candidate?.failed ?? 0) + (baseline?.failed ?? 0);
  const difference = comparison && comparison.observed.cases > 0 ? comparison.observed : null;
  return [
    score,
    formatScore(candidate?.mean ?? null),
    ...(baseline === undefined
      ? []
      : [
          formatScore(baseline.mean),
          difference === null ? "–" : formatDifference(difference.mean),
          difference === null ? "" : formatInterval(difference),
        ]),
    both("skipped"),
    failed > 0 ? { text: both("failed"), style: "red" as Style } : both("failed"),
  ];
}

function callTable(
  { outcome: { summary } }: EvaluationReport,
  paint: Paint,
  available: number | undefined,
): string[] {
  const columns: Column[] = [
    { title: "column" },
    { title: "calls", align: "right" },
    { title: "errors", align: "right" },
    { title: "p50", align: "right" },
    { title: "p95", align: "right" },
    { title: "cost a call", align: "right" },
    { title: "cost", align: "right" },
  ];
  const rows = summary.figures.columns.map(callRow);
  const layout = layOutTable(columns, rows, available);
  const { spent, unknown } = summary.judges;
  const judges = spent > 0 || unknown > 0 ? [`Judges cost ${spentText(spent, unknown)}.`] : [];
  return [tableHead(layout, paint), ...rows.map((row) => tableLine(layout, row, paint)), ...judges];
}

function callRow({ column, results, errors, latency_ms: latency, cost }: ColumnFigures): Row {
  return [
    column,
    formatCount(results),
    errors > 0 ? { text: formatCount(errors), style: "red" } : formatCount(errors),
    latency ? formatDuration(latency.p50) : "–",
    latency ? formatDuration(latency.p95) : "–",
    cost.mean === null ? "unknown" : formatCost(cost.mean),
    spentText(cost.total, cost.unknown),
  ];
}

/** Unknown costs are never shown as 0. */
function spentText(spent: number, unknown: number): string {
  if (unknown === 0) return formatCost(spent);
  return spent === 0 ? "unknown" : `${formatCost(spent)} + ${unknown} unknown`;
}

const MARKS: Readonly<Record<GateSentence["verdict"], readonly [string, Style]>> = {
  passed: ["✓", "green"],
  failed: ["✗", "red"],
  undecided: ["?", "yellow"],
  unscored: ["!", "red"],
};

function gateLines(gates: readonly GateSentence[], paint: Paint, width: number): string[] {
  const widest = Math.max(0, ...gates.map(({ subject }) => subject.length));
  return gates.flatMap(({ subject, bound, verdict, finding }) => {
    const [mark, style] = MARKS[verdict];
    const start = `${paint(style, mark)} ${padText(subject, widest)}  `;
    const one = `${bound}: ${finding}`;
    if (one.length + widest + 6 <= width) return [start + one];
    return [start + bound, `${" ".repeat(widest + 4)}${finding}`];
  });
}

function worseLines({ outcome: { summary } }: EvaluationReport, width: number): string[] {
  const { worse } = summary;
  const lines = worse
    .slice(0, MOST_LISTED)
    .map(({ case: row, score, candidate, baseline }) =>
      clippedLine(
        `${row}: ${score} ${formatScore(baseline)} → ${formatScore(candidate)}`,
        width - 2,
      ),
    );
  return withRest(lines, worse.length);
}

function failedCalls(report: EvaluationReport, width: number): string[] {
  const lines = report.outcome.failedCalls
    .slice(0, MOST_LISTED)
    .map((call) => clippedLine(`${placeOf(call, report)}: ${call.error}`, width - 2));
  return withRest(lines, callErrors(report));
}

function failedScores(report: EvaluationReport, width: number): string[] {
  const lines = report.outcome.failedScores
    .slice(0, MOST_LISTED)
    .map((failed) =>
      clippedLine(`${failed.score} of ${placeOf(failed, report)}: ${failed.error}`, width - 2),
    );
  return withRest(lines, scoreErrors(report));
}

/** The case, with its column and trial where there are several. */
function placeOf({ case: row, column, trial }: FailedCall, report: EvaluationReport): string {
  const { baseline } = report.outcome.header.columns;
  const parts = [row, ...(baseline === null ? [] : [column])];
  return [...parts, ...(report.trials > 1 ? [`trial ${trial + 1}`] : [])].join(", ");
}

function callErrors({ outcome: { summary } }: EvaluationReport): number {
  return summary.figures.columns.reduce((sum, { errors }) => sum + errors, 0);
}

/** Those of failed calls are not counted twice. */
function scoreErrors(report: EvaluationReport): number {
  const { scores } = report.outcome.summary.figures;
  const failed = scores.flatMap(({ columns }) => columns.map((column) => column.failed));
  return failed.reduce((sum, count) => sum + count, 0) - scores.length * callErrors(report);
}

function withRest(lines: readonly string[], count: number): string[] {
  const rest = count - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more`] : [...lines];
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ["", paint("bold", title), ...lines.map((line) => `  ${line}`)];
}

const RESULTS: Readonly<Record<EvaluationResult, readonly [string, Style]>> = {
  passed: ["✓ Passed.", "green"],
  "no-gate": ["✓ Finished. The evaluation has no gate, so there is nothing to pass.", "green"],
  failed: ["✗ Failed.", "red"],
  undecided: ["? Undecided.", "yellow"],
  unscored: ["! Could not be judged: a gate has no scores.", "red"],
  interrupted: ["! Interrupted.", "yellow"],
  stopped: ["! Stopped.", "red"],
};

function resultLines(report: EvaluationReport, paint: Paint): string[] {
  const { outcome, result } = report;
  const [sentence, style] = RESULTS[result];
  const { done, all } = outcome.items;
  const resume = `${done} of ${all} calls are done. Go on with agate eval --resume.`;
  const { end } = outcome;
  if (end === "interrupted") return [paint(style, sentence), resume];
  if (end === "finished") return [paint(style, sentence)];
  const why =
    end.stopped === "reached"
      ? "The run has cost as much as --max-cost allows."
      : "The cost of a call or of a judge is unknown, so --max-cost cannot be kept.";
  return [paint(style, sentence), `${why} ${done} of ${all} calls are done.`];
}
