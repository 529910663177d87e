import { trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { resetOpenTelemetry, setUpOpenTelemetry } from "./otel-globals.fixture.ts";
import { recordedSpans } from "./recorded-spans.fixture.ts";
import { type ActiveSpan, span } from "./span.ts";
import { tracing } from "./tracing.ts";

beforeEach(resetOpenTelemetry);
afterEach(resetOpenTelemetry);

describe("with a callback", () => {
  it("is active in it, ends with it, and records what came out", async () => {
    const recorded = await recordedSpans(async () => {
      const result = span(
        "outer",
        { kind: "AGENT", inputs: "q", attributes: { a: 1 } },
        async () => {
          await Promise.resolve();
          return span("inner", (inner) => inner.setAttribute("b", 2).isRecording());
        },
      );
      expectTypeOf(result).toEqualTypeOf<Promise<boolean>>();
      expect(await result).toBe(true);
    });
    expect(recorded.attributes("outer")).toMatchObject({ "ag.span.kind": "AGENT", a: 1 });
    expect(recorded.content("outer", "inputs")).toBe("q");
    expect(recorded.content("outer", "outputs")).toBe(true);
    expect(recorded.parentName("inner")).toBe("outer");
    expect(recorded.named("outer").statusCode).toBe(1);
  });

  it("passes on what it throws", async () => {
    const recorded = await recordedSpans(async () => {
      const failing = span("failing", () => Promise.reject(new Error("no")));
      await expect(failing).rejects.toThrow("no");
    });
    expect(recorded.named("failing")).toMatchObject({ statusCode: 2, statusMessage: "no" });
  });
});

describe.each(["no set-up", "an existing set-up"])("with using, and %s", (setUp) => {
  beforeEach(() => {
    if (setUp === "an existing set-up") setUpOpenTelemetry();
  });

  it("is active to the end of the block, for Agate's spans", async () => {
    const recorded = await recordedSpans(async () => {
      {
        using outer = span("outer", { kind: "CHAIN", inputs: [1] });
        expectTypeOf(outer).toEqualTypeOf<ActiveSpan>();
        outer.setAttribute("a", 1);
        {
          using _inner = span("inner");
          await Promise.resolve();
          span("innermost", () => undefined);
        }
        await new Promise((resolve) => setImmediate(resolve));
        span("second", () => span("below second", () => undefined));
        tracing.storeOutputs("out");
      }
      span("after", () => undefined);
    });
    expect(recorded.parentName("inner")).toBe("outer");
    expect(recorded.parentName("innermost")).toBe("inner");
    expect(recorded.parentName("second")).toBe("outer");
    expect(recorded.parentName("below second")).toBe("second");
    expect(recorded.parentName("after")).toBeUndefined();
    expect(recorded.attributes("outer")).toMatchObject({ a: 1, "ag.content.inputs": "[1]" });
    expect(recorded.content("outer", "outputs")).toBe("out");
  });

  it("ends when the block is left by an error", async () => {
    const recorded = await recordedSpans(() => {
      expect(() => {
        using _span = span("failing");
        throw new Error("no");
      }).toThrow("no");
      span("after", () => undefined);
    });
    expect(recorded.named("failing").end.us).toBeGreaterThan(0);
    expect(recorded.parentName("after")).toBeUndefined();
  });

  it("is entered inside a callback, and left with it", async () => {
    const recorded = await recordedSpans(() => {
      span("callback", () => {
        using _block = span("block");
        span("inside", () => undefined);
      });
    });
    expect(recorded.parentName("block")).toBe("callback");
    expect(recorded.parentName("inside")).toBe("block");
  });
});

it("nests everybody's spans with using where Agate has the context manager", async () => {
  const recorded = await recordedSpans((telemetry) => {
    using block = span("block");
    expect(trace.getActiveSpan()).toBe(block);
    telemetry.tracerProvider.getTracer("library").startSpan("library").end();
  });
  expect(recorded.parentName("library")).toBe("block");
});
