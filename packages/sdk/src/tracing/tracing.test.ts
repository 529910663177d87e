import { trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { instrument } from "./instrument.ts";
import { resetOpenTelemetry, setUpOpenTelemetry } from "./otel-globals.fixture.ts";
import { recordedSpans } from "./recorded-spans.fixture.ts";
import { span } from "./span.ts";
import { tracing } from "./tracing.ts";

beforeEach(resetOpenTelemetry);
afterEach(resetOpenTelemetry);

describe("tracing", () => {
  it("merges internals into the innermost span of Agate's, below a library's or not", async () => {
    const work = instrument({ name: "work" })(() => {
      tracing.storeInternals({ a: 1, b: 1 });
      const library = trace.getTracer("library");
      library.startActiveSpan("library", (inner) => {
        tracing.store_internals({ b: 2 });
        inner.end();
      });
    });
    setUpOpenTelemetry();
    const recorded = await recordedSpans(() => work());
    expect(recorded.content("work", "internals")).toEqual({ a: 1, b: 2 });
  });

  it("replaces internals that are no object", async () => {
    const recorded = await recordedSpans(() =>
      span("work", () => {
        tracing.storeInternals(["x"]);
        tracing.storeInternals("text");
      }),
    );
    expect(recorded.content("work", "internals")).toBe("text");
  });

  it("names users, sessions, tokens and cost as the platform reads them", async () => {
    const recorded = await recordedSpans(() =>
      span("work", () => {
        tracing.storeMeta({
          userId: "ada",
          sessionId: "s-1",
          plan: "team",
          tags: ["a"],
          none: undefined,
        });
        tracing.storeMetrics({ inputTokens: 5, outputTokens: 6, cost: 0.5, latency_ms: 7 });
        tracing.store_meta({ more: true });
        tracing.store_metrics({ totalTokens: 11 });
      }),
    );
    expect(recorded.attributes("work")).toEqual({
      "ag.span.kind": "TASK",
      "user.id": "ada",
      "session.id": "s-1",
      plan: "team",
      tags: '["a"]',
      more: true,
      "ag.usage.input_tokens": 5,
      "ag.usage.output_tokens": 6,
      "ag.usage.total_tokens": 11,
      "ag.cost": 0.5,
      latency_ms: 7,
    });
  });

  it("goes to the span that is named, not the active one", async () => {
    const recorded = await recordedSpans(() =>
      span("outer", (outer) =>
        span("inner", () => {
          tracing.storeMeta({ a: 1 }, outer);
          tracing.storeInternals({ b: 2 }, outer);
        }),
      ),
    );
    expect(recorded.attributes("outer")).toMatchObject({ a: 1 });
    expect(recorded.content("outer", "internals")).toEqual({ b: 2 });
    expect(recorded.attributes("inner")).toEqual({ "ag.span.kind": "TASK" });
  });

  it("falls back to OpenTelemetry's active span", async () => {
    const { exporter } = setUpOpenTelemetry();
    await recordedSpans(() =>
      trace.getTracer("library").startActiveSpan("theirs", (theirs) => {
        tracing.storeMeta({ userId: "ada" });
        tracing.storeInternals({ a: 1 });
        tracing.storeInternals({ b: 2 });
        theirs.end();
      }),
    );
    expect(exporter.getFinishedSpans()[0]?.attributes).toEqual({
      "user.id": "ada",
      "ag.content.internals": '{"a":1,"b":2}',
    });
  });

  it("gives the headers that continue the trace", async () => {
    const recorded = await recordedSpans((telemetry) => {
      const parent = telemetry.contextOf(
        new Headers({
          traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
          tracestate: "vendor=1",
        }),
      );
      const call = telemetry.startSpan("call", { kind: "WORKFLOW", parent });
      telemetry.withSpan(call, () => {
        expect(tracing.headers()).toEqual({
          traceparent: `00-0af7651916cd43dd8448eb211c80319c-${call.spanContext().spanId}-00`,
          tracestate: "vendor=1",
        });
      });
      call.end();
    });
    expect(recorded.spans).toHaveLength(1);
  });

  it("does nothing outside a span", () => {
    tracing.storeInternals({ a: 1 });
    tracing.storeOutputs(1);
    tracing.storeMeta({ a: 1 });
    tracing.storeMetrics({ cost: 1 });
    expect(tracing.headers()).toEqual({});
  });

  it("takes no harm from values that cannot be read", async () => {
    const hostile = {
      get value(): string {
        throw new Error("no");
      },
    };
    const recorded = await recordedSpans(() =>
      span("work", () => {
        tracing.storeMeta(hostile);
        tracing.storeInternals(hostile);
        return "fine";
      }),
    );
    expect(recorded.content("work", "outputs")).toBe("fine");
  });
});
