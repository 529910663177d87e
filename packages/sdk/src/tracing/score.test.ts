import type { OtlpSpan } from "@agate/spans";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { instrument } from "./instrument.ts";
import { resetOpenTelemetry } from "./otel-globals.fixture.ts";
import { recordedSpans } from "./recorded-spans.fixture.ts";
import { score } from "./score.ts";
import { span } from "./span.ts";

beforeEach(resetOpenTelemetry);
afterEach(resetOpenTelemetry);

function eventsOf({ events }: OtlpSpan) {
  return events.map(({ name, attributes }) => ({
    name,
    attributes: Object.fromEntries(attributes),
  }));
}

describe("score", () => {
  it("is an event of the innermost span", async () => {
    const inner = instrument({ name: "inner" })(() => {
      score({ name: "grounded", value: true, explanation: "Two sources.", evaluator: "own" });
    });
    const recorded = await recordedSpans(() =>
      span("outer", () => {
        inner();
        score({ name: "tone", value: 0.5, label: "neutral" });
      }),
    );
    expect(eventsOf(recorded.named("inner"))).toEqual([
      {
        name: "gen_ai.evaluation.result",
        attributes: {
          "gen_ai.evaluation.name": "grounded",
          "gen_ai.evaluation.score.value": 1,
          "gen_ai.evaluation.score.label": "yes",
          "gen_ai.evaluation.explanation": "Two sources.",
          "ag.score.evaluator": "own",
        },
      },
    ]);
    expect(eventsOf(recorded.named("outer"))).toEqual([
      {
        name: "gen_ai.evaluation.result",
        attributes: {
          "gen_ai.evaluation.name": "tone",
          "gen_ai.evaluation.score.value": 0.5,
          "gen_ai.evaluation.score.label": "neutral",
        },
      },
    ]);
  });

  it.each([
    [{ name: "Not a slug", value: 1 }, /not-a-slug/],
    [{ name: "empty" }, /neither a value nor a label/],
    [{ name: "odd", value: Number.NaN }, /no finite number/],
  ])("reports %j, and records nothing", async (given, fault) => {
    const warnings: string[] = [];
    const recorded = await recordedSpans(() => span("work", () => score(given)), {
      onWarning: (warning) => void warnings.push(String(warning)),
    });
    expect(recorded.named("work").events).toEqual([]);
    expect(warnings.join()).toMatch(fault);
  });

  it("does nothing outside a span", () => {
    expect(score({ name: "helpful", value: 1 })).toBeUndefined();
  });
});
