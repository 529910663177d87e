import { trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Collector } from "./collector.fixture.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { resetOpenTelemetry, setUpOpenTelemetry } from "./otel-globals.fixture.ts";
import { telemetrySlot } from "./telemetry.ts";
import { withEnvironment } from "./telemetry-options.ts";

let collector: Collector;

beforeEach(async () => {
  resetOpenTelemetry();
  collector = await new Collector().start();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await collector.stop();
  resetOpenTelemetry();
});

/** The process's own, as a new process has it. */
async function freshModule(): Promise<typeof import("./default-telemetry.ts")> {
  vi.resetModules();
  return import("./default-telemetry.ts");
}

describe("the process's own telemetry", () => {
  it("is made from the environment when it is first used", async () => {
    vi.stubEnv("AGATE_BASE_URL", collector.url);
    vi.stubEnv("AGATE_API_KEY", "k-env");
    const { defaultTelemetry, currentTelemetry } = await freshModule();
    const telemetry = currentTelemetry();
    expect(telemetry).toBe(defaultTelemetry());
    telemetry.startSpan("work", { kind: "TASK" }).end();
    await telemetry.shutdown();
    expect(collector.named("work").name).toBe("work");
    expect(collector.headers[0]?.authorization).toBe("Bearer k-env");
  });

  it("takes the options that were given before, and says so when they come too late", async () => {
    vi.stubEnv("AGATE_BASE_URL", "http://127.0.0.1:9");
    const { configureTelemetry, defaultTelemetry } = await freshModule();
    configureTelemetry({ baseUrl: collector.url, application: "shop" });
    const telemetry = defaultTelemetry();
    telemetry.startSpan("work", { kind: "TASK" }).end();
    await telemetry.shutdown();
    expect(collector.named("work").resource.attributes.get("ag.application")).toBe("shop");
    expect(() => configureTelemetry({})).toThrow("ag.init() came too late");
  });

  it.each(["AGATE_TELEMETRY_DISABLED", "OTEL_SDK_DISABLED"])(
    "sends nothing with %s",
    async (name) => {
      vi.stubEnv("AGATE_BASE_URL", collector.url);
      vi.stubEnv(name, "true");
      const telemetry = createTelemetry(withEnvironment({}));
      const span = telemetry.startSpan("work", { kind: "TASK" });
      span.end();
      await telemetry.shutdown();
      expect(span.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(collector.requests).toEqual([]);
    },
  );

  it.each([
    ["False", false],
    ["no_content", false],
    ["EVENT_ONLY", false],
    ["true", true],
    ["SPAN_ONLY", true],
    ["span_and_event", true],
    ["", true],
  ])("follows OpenTelemetry's variable for content: %j", (value, expected) => {
    vi.stubEnv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value);
    const warnings: string[] = [];
    const onWarning = (sentence: string) => warnings.push(sentence);
    expect(createTelemetry({ onWarning }).capturesContent).toBe(expected);
    expect(createTelemetry({ captureContent: true }).capturesContent).toBe(expected);
    expect(createTelemetry({ captureContent: false }).capturesContent).toBe(false);
    expect(warnings).toEqual([]);
  });

  it("records no content when the variable says something else, and tells so", () => {
    vi.stubEnv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "off");
    const warnings: string[] = [];
    const onWarning = (sentence: string) => warnings.push(sentence);
    expect(createTelemetry({ onWarning }).capturesContent).toBe(false);
    expect(warnings).toEqual([
      expect.stringContaining('MESSAGE_CONTENT is "off", which is none of'),
    ]);
  });

  it("lends a processor and a provider before it is made, which follow the running call", async () => {
    const { spanProcessor, tracerProvider, configureTelemetry, defaultTelemetry } =
      await freshModule();
    setUpOpenTelemetry({ spanProcessors: [spanProcessor()] });
    const tracer = tracerProvider().getTracer("ai");
    configureTelemetry({ baseUrl: "http://127.0.0.1:9" });
    // The fresh module is a copy of the package with its own contexts, so its own telemetry.
    const { createTelemetry: create } = await import("./create-telemetry.ts");
    const { telemetrySlot: slot } = await import("./telemetry.ts");
    const app = create({ baseUrl: collector.url });
    slot.run(app, () => {
      const call = app.startSpan("call", { kind: "WORKFLOW" });
      app.withSpan(call, () => {
        tracer.startActiveSpan("chat", (chat) => {
          trace.getTracer("library").startSpan("library").end();
          chat.end();
        });
      });
      call.end();
    });
    await app.shutdown();
    expect(collector.named("chat").parentSpanId).toBe(collector.named("call").spanId);
    expect(collector.named("library").parentSpanId).toBe(collector.named("chat").spanId);
    expect(defaultTelemetry().statistics()).toMatchObject({ queued: 0, dropped: 0 });
    expect(telemetrySlot.get()).toBeUndefined();
  });
});
