import type { Score, SpanRecord } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainPaint } from "../../terminal/plain-paint.fixture.ts";
import { textWidth } from "../../terminal/text-width.ts";
import { spanDetails } from "./span-details.ts";
import { spanRecord, tokens } from "./span-record.fixture.ts";
import type { TraceViewOptions } from "./trace-view.ts";
import { traceLines } from "./trace-view.ts";

const now = Date.parse("2026-11-15T10:03:00Z");

function draw(top: SpanRecord, options: Partial<TraceViewOptions> = {}): string[] {
  return [
    ...traceLines(top, {
      paint: plainPaint,
      now,
      columns: 80,
      depth: Number.POSITIVE_INFINITY,
      ...options,
    }),
  ];
}

const answer = spanRecord({
  name: "answer",
  spankind: "WORKFLOW",
  status: "ERROR",
  environment: "production",
  user_id: "u-17",
  variant: { variant_id: "var_1", variant_name: "default", revision: 3 },
  metadata: {
    application: "support",
    latency: 1240,
    status_message: "The model is overloaded.",
    total: { usage: tokens(1204), cost: 0.0031 },
  },
  children: [
    spanRecord({
      name: "retrieve",
      spankind: "RETRIEVER",
      metadata: { latency: 310 },
      children: [spanRecord({ name: "embed", spankind: "EMBEDDING", metadata: { latency: 155 } })],
    }),
    spanRecord({
      name: "chat",
      spankind: "LLM",
      status: "ERROR",
      created_at: "2026-11-15T10:00:00.310000Z",
      metadata: {
        latency: 930,
        usage: tokens(1204),
        cost: 0.0031,
        events: [
          {
            name: "exception",
            time: "2026-11-15T10:00:01.000000Z",
            attributes: { "exception.message": "503 from the provider" },
          },
        ],
      },
    }),
  ],
});

describe("a trace in the terminal", () => {
  it("is a tree with kinds, durations, tokens, cost, and errors below the spans that had them", () => {
    expect(draw(answer)).toEqual([
      "Trace 0af7651916cd43dd8448eb211c80319c  2026-11-15 10:00:00Z (3 min ago)",
      "support · default@3 · production · user u-17",
      "ERROR · 1.24 s · 4 spans · 1,204 tokens · $0.0031",
      "",
      "✗ answer      WORKFLOW     1.24 s ████████████████████████████",
      "│  The model is overloaded.",
      "├─ ✓ retrieve RETRIEVER    310 ms ███████",
      "│  └─ ✓ embed EMBEDDING    155 ms ███▌",
      "└─ ✗ chat     LLM          930 ms        █████████████████████   1,204   $0.0031",
      "      503 from the provider",
    ]);
  });

  it("has the scores below the span that they judge, and what failed never as a number", () => {
    const score = (name: string, given: Partial<Score> = {}): Score => ({
      id: name,
      trace_id: answer.trace_id,
      span_id: null,
      name,
      value: null,
      label: null,
      explanation: null,
      source: { kind: "code", evaluator: null, version: null, person: null },
      status: "ok",
      error: null,
      created_at: "2026-11-15T10:01:00.000000Z",
      run: null,
      case: null,
      column: null,
      trial: null,
      metadata: null,
      ...given,
    });
    const scores = [
      score("helpful", { value: 2 / 3, explanation: "Brief." }),
      score("safe", { value: 1, label: "yes" }),
      score("tone", { label: "formal" }),
      score("cites", {
        status: "failed",
        error: "No\u001b answer.",
        source: { kind: "end_user", evaluator: "judge", version: "2", person: "ada" },
      }),
    ];
    const judged = spanRecord({ metadata: { scores }, children: [spanRecord({})] });
    expect(draw(judged).slice(4, 5)).toEqual([
      "│  helpful 0.667 · safe yes (1) · tone formal · cites failed",
    ]);
    expect([...spanDetails(judged, plainPaint)].slice(-5)).toEqual([
      "scores",
      "  helpful 0.667 · code: Brief.",
      "  safe yes (1) · code",
      "  tone formal · code",
      expect.stringMatching(/^ {2}cites failed · end user, judge@2, ada: No.* answer\.$/),
    ]);
    expect([...spanDetails(judged, plainPaint)].join("")).not.toContain("\u001b");
  });

  it("says how much is below where only some levels are asked for", () => {
    expect(draw(answer, { depth: 1 }).slice(6)).toEqual([
      expect.stringMatching(/^├─ ✓ retrieve /),
      "│  └─ … 1 span below",
      expect.stringMatching(/^└─ ✗ chat /),
      "      503 from the provider",
    ]);
    expect(draw(answer, { depth: 0 }).slice(-1)).toEqual(["└─ … 3 spans below"]);
  });

  it("has the spans' ids where there is room, for --span", () => {
    expect(draw(answer, { columns: undefined })[4]).toMatch(/ b7ad6b7169203331$/);
    expect(draw(answer, { columns: 130 })[4]).toMatch(/ b7ad6b7169203331$/);
  });

  it("fits the terminal and lets nothing recorded reach it, whatever was recorded", () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\u001b", "[", "2", "J", "\n", "\u009b", "漢"),
        fc.string({ maxLength: 1 }),
      ),
      maxLength: 80,
    });
    const span = fc.record({
      name: text,
      message: text,
      latency: fc.double({ min: 0, max: 1e7, noNaN: true }),
    });
    fc.assert(
      fc.property(
        span,
        fc.array(span),
        fc.integer({ min: 70, max: 200 }),
        (top, below, columns) => {
          const toRecord = (
            { name, message, latency }: typeof top,
            children: SpanRecord[] | null,
          ) =>
            spanRecord({
              name,
              status: "ERROR",
              user_id: message,
              metadata: { latency, status_message: message },
              children,
            });
          const [head, ...lines] = draw(
            toRecord(
              top,
              below.map((one) => toRecord(one, null)),
            ),
            { columns },
          );
          for (const line of lines.slice(2)) expect(textWidth(line)).toBeLessThanOrEqual(columns);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
          expect([head, ...lines].join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        },
      ),
    );
  });

  it("is drawn whole for a chain of 20,000 spans and for 10,000 beside each other", () => {
    let chain = spanRecord({ name: "end" });
    for (let level = 1; level < 20_000; level++) chain = spanRecord({ children: [chain] });
    expect(draw(chain)).toHaveLength(3 + 20_000);
    const flat = spanRecord({
      children: Array.from({ length: 10_000 }, (_, index) => spanRecord({ name: `step ${index}` })),
    });
    const lines = draw(flat);
    expect(lines.at(-1)).toMatch(/^└─ ✓ step 9999 /);
    expect(lines[1]).toMatch(/ 10,001 spans$/);
  });
});
