import type { Score } from "@agate/protocol";
import { shippedPrices } from "@agate/spans/prices";
import { expect, it } from "vitest";
import type { ScoreBatch, ScoreOutcome } from "../stores/score-store.ts";
import { createIngest } from "./create-ingest.ts";
import { EVALUATION_EVENT } from "./evaluation-events.ts";
import { DEFAULT_DECODE_LIMITS } from "./otlp/decode-outcome.ts";

const TRACE = "5b8efff798038103d269b633813fc60c";
const SPAN = "eee19b7ec3c1b174";

type EventValues = Readonly<Record<string, unknown>>;

/** Sends a span with these evaluation results. */
async function judge(
  events: readonly EventValues[],
  { rules = null, outcome }: { rules?: string | null; outcome?: ScoreOutcome } = {},
) {
  const batches: ScoreBatch[] = [];
  const ingest = createIngest({
    appender: {
      append: async () => ({ kind: "committed" }),
      putScores: async (batch) => {
        batches.push(batch);
        return outcome ?? { kind: "committed" };
      },
    },
    prices: shippedPrices(),
    maxDecompressedBytes: 1_000_000,
    decodeLimits: DEFAULT_DECODE_LIMITS,
  });
  const span = {
    traceId: TRACE,
    spanId: SPAN,
    name: "answer",
    events: [
      { name: "other", timeUnixNano: "1" },
      ...events.map((values) => ({
        name: EVALUATION_EVENT,
        timeUnixNano: "1793534400000001000",
        attributes: Object.entries(values).map(([key, value]) => ({ key, value })),
      })),
    ],
  };
  const json = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const body = new Uint8Array(Buffer.from(json));
  const request = {
    signal: "traces",
    project: "p",
    encoding: "json",
    compression: "none",
    body,
  } as const;
  const answer = await ingest(request, rules);
  const scores = batches.flatMap((batch) => batch.scores);
  return { answer, scores, records: scores.map(({ record }) => JSON.parse(record) as Score) };
}

const name = { stringValue: "Answer relevance" };

it("makes scores of OpenTelemetry's evaluation results", async () => {
  const { records, scores } = await judge([
    {
      "gen_ai.evaluation.name": name,
      "gen_ai.evaluation.score.value": { doubleValue: 0.75 },
      "gen_ai.evaluation.score.label": { stringValue: "good" },
      "gen_ai.evaluation.explanation": { stringValue: "Says what was asked." },
    },
    { "gen_ai.evaluation.name": { stringValue: "safe" }, "error.type": { stringValue: "timeout" } },
  ]);
  expect(records).toMatchObject([
    {
      trace_id: TRACE,
      span_id: SPAN,
      name: "answer-relevance",
      value: 0.75,
      label: "good",
      explanation: "Says what was asked.",
      status: "ok",
      created_at: "2026-11-01T12:00:00.000001Z",
      source: { kind: "code" },
    },
    // Never a 0.
    { name: "safe", value: null, status: "failed", error: "timeout" },
  ]);
  expect(scores[0]?.id).toMatch(/^[0-9a-f]{32}$/);
});

it("leaves out what says neither what it judges nor how", async () => {
  const value = { "gen_ai.evaluation.score.value": { doubleValue: 1 } };
  const { scores, answer } = await judge([
    value,
    { ...value, "gen_ai.evaluation.name": { stringValue: "!" } },
    { "gen_ai.evaluation.name": name },
    { "gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": { stringValue: "high" } },
  ]);
  expect(scores).toEqual([]);
  expect(answer.kind).toBe("accepted");
});

it("hides in scores what the project's rules hide, and cuts long texts", async () => {
  const rules = JSON.stringify({ keys: [], patterns: ["email"], custom: [] });
  const { records } = await judge(
    [4_000, 4_001].map((length, n) => ({
      "gen_ai.evaluation.name": { stringValue: `n${n}` },
      "gen_ai.evaluation.score.label": { stringValue: "ada@example.com" },
      "gen_ai.evaluation.explanation": { stringValue: "x".repeat(length) },
    })),
    { rules },
  );
  expect(records.map(({ label }) => label)).toEqual(["[redacted:email]", "[redacted:email]"]);
  expect(records.map(({ explanation }) => explanation?.length)).toEqual([4_000, 4_000]);
});

it("refuses the request where scores cannot be written, and says which had no room", async () => {
  const events = [
    { "gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": { intValue: "1" } },
  ];
  const away = await judge(events, { outcome: { kind: "unavailable", reason: "Away." } });
  expect(away.answer).toMatchObject({ kind: "unavailable", reason: "Away." });
  const full = await judge(events, {
    outcome: { kind: "partly-committed", rejected: new Map([["a", "trace-full"]]) },
  });
  expect(full.answer.kind).toBe("accepted");
  const { body } = full.answer as { body: Uint8Array };
  expect(Buffer.from(body).toString()).toContain("1 scores rejected");
});
