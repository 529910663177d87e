import type { SpanRecord } from "@agate/protocol";
import type { ScoreRequest, ScoreResponse } from "@agate/protocol/evaluator";
import { evaluationSlot } from "../context/call-state.ts";
import type { Evaluation } from "../evals/evaluation.ts";
import { runScorers } from "../evals/run-scorers.ts";
import type { Judged } from "../evals/scorer-types.ts";
import { defaultTelemetry } from "../tracing/default-telemetry.ts";
import { type TraceSources, traceOfCall } from "./trace-of-call.ts";
import { treeCost } from "./tree-figures.ts";

/**
 * Scores one output with all scorers, or those that are named, in a span of its own: what they spend
 * is read from the spans inside it.
 */
export async function scoreOutput(
  evaluation: Evaluation,
  request: ScoreRequest,
  traces: TraceSources,
  signal: AbortSignal,
): Promise<ScoreResponse> {
  const { inputs, output, metadata = {}, trial, span: judgedSpan } = request;
  const judged: Judged = {
    inputs,
    output,
    expected: await expectedOf(evaluation, request.expected),
    metadata,
    case: request.case,
    trial,
    trace: () => traceOfCall(judgedSpan, traces, signal),
  };
  const telemetry = defaultTelemetry();
  const { run, column } = request;
  const item = { run, case: request.case, column, trial };
  const start = () => telemetry.startSpan(`evaluate ${evaluation.name}`, { kind: "EVALUATOR" });
  const span = evaluationSlot.run(item, start);
  const { traceId, spanId } = span.spanContext();
  if (judgedSpan !== null) {
    const context = { traceId: judgedSpan.trace_id, spanId: judgedSpan.span_id, traceFlags: 1 };
    span.addLink({ context });
  }
  const collection = telemetry.collect(traceId, spanId);
  try {
    const scorers = chosen(evaluation, request.scorers);
    const scores = await evaluationSlot.run(item, () =>
      telemetry.withSpan(span, () =>
        runScorers(scorers, judged, { signal, configs: request.configs }),
      ),
    );
    span.end();
    const tree = JSON.parse(await collection.take()) as SpanRecord | null;
    return { scores, cost: tree === null ? 0 : treeCost(tree) };
  } finally {
    span.end();
    collection.drop();
  }
}

/** What the case expects, as scorers see it. It was checked before the run began. */
async function expectedOf({ name, expected: schema }: Evaluation, value: unknown) {
  if (schema === undefined) return value;
  const read = await schema["~standard"].validate(value);
  if (read.issues === undefined) return read.value;
  const why = read.issues.map(({ message }) => message).join("; ");
  throw new TypeError(`The case does not fit the expectation of ${name}: ${why}`);
}

function chosen(evaluation: Evaluation, names: readonly string[] | undefined): Evaluation {
  if (names === undefined) return evaluation;
  const kept = Object.entries(evaluation.scorers).filter(([name]) => names.includes(name));
  return { ...evaluation, scorers: Object.fromEntries(kept) };
}
