import { formatScore } from "@agate/protocol/evaluations";
import type { EvaluationReport, EvaluationResult } from "./evaluation-report.ts";
import { exitCodeOf, gateSentencesOf } from "./evaluation-report.ts";

/** Everything that is known of the runs, for programs. */
export function jsonReport(reports: readonly EvaluationReport[]): string {
  const evaluations = reports.map((report) => {
    const { name, route, testset, trials, address, result, outcome } = report;
    const { header, summary, items, failedCalls, failedScores } = outcome;
    return {
      evaluation: name,
      run: header.run,
      address,
      result,
      route,
      testset,
      trials,
      seed: header.seed,
      started_at: header.started_at,
      columns: header.columns,
      scorers: header.scorers,
      scorers_revision: header.scorers_revision,
      items,
      figures: summary.figures,
      judges: summary.judges,
      gates: summary.gates,
      worse: summary.worse,
      failed_calls: failedCalls,
      failed_scores: failedScores,
    };
  });
  const exit_code = exitCodeOf(reports.map(({ result }) => result));
  return JSON.stringify({ exit_code, evaluations }, null, 2);
}

/** JUnit's XML: a suite for each evaluation, a test for each gate. Undecided and unscored gates fail. */
export function junitReport(reports: readonly EvaluationReport[]): string {
  const suites = reports.map((report) => {
    const gates = gateSentencesOf(report);
    const ended = endOf(report);
    const tests = [
      ...gates.map(({ subject, bound, verdict, finding }) =>
        testCase(report.name, `${subject}: ${bound}`, verdict, finding),
      ),
      ...(ended === undefined ? [] : [testCase(report.name, "run", ended.result, ended.why)]),
    ];
    const failures = tests.filter((test) => test.includes("<failure")).length;
    return [
      `  <testsuite name="${xml(report.name)}" tests="${tests.length}" failures="${failures}">`,
      ...tests,
      "  </testsuite>",
    ].join("\n");
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="agate eval">\n${suites.join("\n")}\n</testsuites>`;
}

function testCase(suite: string, name: string, result: EvaluationResult, why: string): string {
  const open = `    <testcase classname="${xml(suite)}" name="${xml(name)}"`;
  if (result === "passed" || result === "no-gate") return `${open}/>`;
  return `${open}><failure message="${xml(`${result}: ${why}`)}"/></testcase>`;
}

/** A run without gates, or one that did not reach its end, has something to say beside its gates. */
function endOf({ result, outcome }: EvaluationReport) {
  if (result === "no-gate") return { result, why: "" };
  if (result !== "interrupted" && result !== "stopped") return undefined;
  const { done, all } = outcome.items;
  return { result, why: `${done} of ${all} calls are done` };
}

/** Annotations of a workflow on GitHub, and a line for each evaluation. */
export function githubReport(reports: readonly EvaluationReport[]): string {
  const lines = reports.flatMap((report) => {
    const annotations = gateSentencesOf(report)
      .filter(({ verdict }) => verdict !== "passed")
      .map(({ subject, bound, verdict, finding }) => {
        const level = verdict === "undecided" ? "warning" : "error";
        const title = `${report.name}: ${subject} ${verdict}`;
        return `::${level} title=${property(title)}::${message(`${bound}: ${finding}`)}`;
      });
    const worse = report.outcome.summary.worse
      .slice(0, 10)
      .map(
        ({ case: row, score, candidate, baseline }) =>
          `::notice title=${property(`${report.name}: worse`)}::${message(`${row}: ${score} ${formatScore(baseline)} → ${formatScore(candidate)}`)}`,
      );
    return [...annotations, ...worse, `${report.name}: ${report.result}`];
  });
  return lines.join("\n");
}

const XML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function xml(text: string): string {
  return (
    text
      .replaceAll(/[&<>"']/g, (character) => XML[character] ?? "")
      // Control characters have no place in XML at all.
      .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
  );
}

/** As GitHub's own toolkit escapes them. */
function message(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return message(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
