import { context, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { suppressTracing } from "@opentelemetry/core";
import { AlwaysOffSampler, AlwaysOnSampler, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Identity, identitySlot } from "../context/call-state.ts";
import { Collector } from "./collector.fixture.ts";
import { recordContent } from "./content-rules.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { CurrentTracerProvider } from "./default-telemetry.ts";
import { resetOpenTelemetry, setUpOpenTelemetry } from "./otel-globals.fixture.ts";
import { addSecret, Secrets } from "./secrets.ts";
import { span as openSpan } from "./span.ts";
import { type Telemetry, telemetrySlot } from "./telemetry.ts";

let collector: Collector;
let telemetry: Telemetry;
let secrets: Secrets;
let warnings: string[];

beforeEach(async () => {
  resetOpenTelemetry();
  collector = await new Collector().start();
  warnings = [];
  secrets = new Secrets();
  telemetry = createTelemetry({
    baseUrl: collector.url,
    secrets,
    onWarning: (sentence) => warnings.push(sentence),
  });
});

afterEach(async () => {
  await telemetry.shutdown();
  await collector.stop();
  resetOpenTelemetry();
});

const identity: Identity = {
  application: "shop",
  variantId: "v-1",
  variantName: "terse",
  revision: 3,
  environment: "staging",
};

const identityText = {
  "ag.application": "shop",
  "ag.variant.id": "v-1",
  "ag.variant.name": "terse",
  "ag.variant.revision": 3,
  "ag.environment": "staging",
};

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no ${name} among ${spans.map((span) => span.name)}`);
  return found;
}

/** A workflow that calls an instrumented library, which calls one of ours. */
function runWorkflow(): Span {
  const workflow = telemetry.startSpan("workflow", { kind: "WORKFLOW" });
  identitySlot.run(identity, () =>
    telemetry.withSpan(workflow, () => {
      trace.getTracer("library").startActiveSpan("library call", (library) => {
        telemetry.startSpan("inner", { kind: "TASK" }).end();
        library.end();
      });
    }),
  );
  workflow.end();
  return workflow;
}

describe("in an existing OpenTelemetry set-up", () => {
  it("is seen by the set-up as well, with the same ids and parents", async () => {
    const { exporter } = setUpOpenTelemetry({ spanProcessors: [telemetry.spanProcessor()] });
    runWorkflow();
    await telemetry.flush();

    const theirs = exporter.getFinishedSpans();
    expect(theirs.map((span) => span.name).sort()).toEqual(["inner", "library call", "workflow"]);
    expect(collector.spans.map((span) => span.name).sort()).toEqual([
      "inner",
      "library call",
      "workflow",
    ]);
    for (const sent of collector.spans) {
      const twin = named(theirs, sent.name);
      expect(twin.spanContext()).toMatchObject({ traceId: sent.traceId, spanId: sent.spanId });
      expect(twin.parentSpanContext?.spanId ?? null).toBe(sent.parentSpanId);
    }
    const parentOf = (name: string) => collector.named(name).parentSpanId;
    expect(parentOf("workflow")).toBeNull();
    expect(parentOf("library call")).toBe(collector.named("workflow").spanId);
    expect(parentOf("inner")).toBe(collector.named("library call").spanId);
    expect(warnings).toEqual([]);
  });

  it("gives the library's span the identity of the call, without changing it", async () => {
    const { exporter } = setUpOpenTelemetry({ spanProcessors: [telemetry.spanProcessor()] });
    runWorkflow();
    await telemetry.flush();
    expect(Object.fromEntries(collector.named("library call").attributes)).toEqual(identityText);
    expect(named(exporter.getFinishedSpans(), "library call").attributes).toEqual({});
    expect(collector.named("library call").scope.name).toBe("library");
    expect(Object.fromEntries(collector.named("inner").attributes)).toMatchObject(identityText);
  });

  it("records what the set-up's sampler leaves out, and passes its decision on", async () => {
    const { exporter } = setUpOpenTelemetry({
      sampler: new AlwaysOffSampler(),
      spanProcessors: [telemetry.spanProcessor()],
    });
    const workflow = runWorkflow();
    expect(workflow.spanContext().traceFlags).toBe(0);
    await telemetry.flush();
    expect(exporter.getFinishedSpans()).toEqual([]);
    // The library's own span was never recorded by anybody.
    expect(collector.spans.map((span) => span.name).sort()).toEqual(["inner", "workflow"]);
    expect(collector.named("workflow").traceId).toBe(workflow.spanContext().traceId);
    expect(collector.named("inner").parentSpanId).toBe(collector.named("workflow").spanId);
  });

  it("hangs a span below the nearest one that Agate has, when a library's is not sent", async () => {
    const { exporter } = setUpOpenTelemetry();
    runWorkflow();
    await telemetry.flush();
    expect(collector.named("inner").parentSpanId).toBe(collector.named("workflow").spanId);
    const theirs = exporter.getFinishedSpans();
    expect(named(theirs, "inner").parentSpanContext?.spanId).toBe(
      named(theirs, "library call").spanContext().spanId,
    );
  });

  it("leaves the set-up's traces whole where Agate's own export is switched off", () => {
    const { exporter } = setUpOpenTelemetry();
    const disabled = createTelemetry({ baseUrl: collector.url, disabled: true });
    const span = disabled.startSpan("work", { kind: "TASK" });
    disabled.withSpan(span, () => trace.getTracer("library").startSpan("library").end());
    span.end();
    const theirs = exporter.getFinishedSpans();
    const parent = named(theirs, "library").parentSpanContext?.spanId;
    expect(parent).toBe(named(theirs, "work").spanContext().spanId);
  });

  it("is one object: changes go to both, hidden fields to the twin", async () => {
    const { exporter } = setUpOpenTelemetry();
    const span = telemetry.startSpan("work", { kind: "TOOL" });
    (span as unknown as { _hidden: string })._hidden = "scope";
    expect((span as unknown as { _hidden: string })._hidden).toBe("scope");
    expect(span.setAttribute("a", 1)).toBe(span);
    span.setAttributes({ b: "two" }).addEvent("happened", { c: true }).updateName("renamed");
    span.recordException(new Error("broken"));
    span.setStatus({ code: SpanStatusCode.ERROR, message: "broken" });
    expect(span.isRecording()).toBe(true);
    span.end();
    expect(span.isRecording()).toBe(false);
    await telemetry.flush();
    const twin = exporter.getFinishedSpans()[0]! as ReadableSpan & { _hidden: string };
    const sent = collector.named("renamed");
    expect(twin._hidden).toBe("scope");
    expect(twin.attributes).toMatchObject({ a: 1, b: "two", "ag.span.kind": "TOOL" });
    expect(Object.fromEntries(sent.attributes)).toEqual(twin.attributes);
    expect(sent.events.map((event) => event.name)).toEqual(["happened", "exception"]);
    expect(twin.events.map((event) => event.name)).toEqual(["happened", "exception"]);
    expect(twin.status).toEqual({ code: SpanStatusCode.ERROR, message: "broken" });
    expect(sent).toMatchObject({ statusCode: 2, statusMessage: "broken" });
  });

  it("hides secrets from the set-up's exporter too", async () => {
    addSecret(secrets, "KEY", "s3cr3t-value");
    const { exporter } = setUpOpenTelemetry();
    const attributes = { start: "s3cr3t-value" };
    const span = telemetry.startSpan("work on s3cr3t-value", { kind: "TASK", attributes });
    recordContent(telemetry, span, "inputs", { key: "s3cr3t-value" });
    span.setAttribute("list", ["s3cr3t-value"]).addEvent("e", { at: "s3cr3t-value" });
    span.recordException(new Error("bad s3cr3t-value"));
    span.setStatus({ code: SpanStatusCode.ERROR, message: "bad s3cr3t-value" });
    span.end();
    const [twin] = exporter.getFinishedSpans();
    const text = JSON.stringify([twin!.name, twin!.attributes, twin!.events, twin!.status]);
    expect(text).not.toContain("s3cr3t-value");
    expect(text.match(/\[secret:KEY\]/g)!.length).toBeGreaterThanOrEqual(7);
  });

  it("says once how to get the other libraries' spans, if they are missing", async () => {
    setUpOpenTelemetry();
    runWorkflow();
    runWorkflow();
    await telemetry.flush();
    expect(collector.spans.map((span) => span.name)).not.toContain("library call");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("ag.spanProcessor()");
  });

  it("takes nothing from outside a call, unless it is asked for everything", async () => {
    const everything = createTelemetry({ baseUrl: collector.url });
    setUpOpenTelemetry({
      spanProcessors: [telemetry.spanProcessor(), everything.spanProcessor({ all: true })],
    });
    trace.getTracer("library").startSpan("outside").end();
    telemetry.startSpan("ours", { kind: "TASK" }).end();
    await telemetry.flush();
    expect(collector.spans.map((span) => span.name)).toEqual(["ours"]);
    await everything.shutdown();
    // Its own spans, and the twins of others', go where they belong.
    expect(collector.spans.map((span) => span.name)).toEqual(["ours", "outside"]);
  });

  it("reads the spans of OpenTelemetry 1 too", async () => {
    const processor = telemetry.spanProcessor();
    const workflow = telemetry.startSpan("workflow", { kind: "WORKFLOW" });
    const { traceId, spanId } = workflow.spanContext();
    const old = {
      name: "old span",
      kind: 2,
      spanContext: () => ({ traceId, spanId: "00000000000000aa", traceFlags: 1 }),
      parentSpanId: spanId,
      startTime: [1_700_000_000, 5],
      endTime: [1_700_000_001, 6],
      status: { code: 1 },
      attributes: { "gen_ai.request.model": "gpt-5" },
      links: [],
      events: [{ name: "event", time: [1_700_000_000, 7], attributes: { x: 1 } }],
      resource: { attributes: { "service.name": "old service" } },
      instrumentationLibrary: { name: "old library", version: "1.0.0" },
    };
    telemetry.withSpan(workflow, () => processor.onStart(old, context.active()));
    processor.onEnd(old);
    await telemetry.flush();
    expect(collector.named("old span")).toMatchObject({
      traceId,
      spanId: "00000000000000aa",
      parentSpanId: spanId,
      kind: 3,
      statusCode: 1,
      start: { us: 1_700_000_000_000_000, nanos: 5 },
      scope: { name: "old library", version: "1.0.0" },
    });
  });

  it("has no twin in a provider of Agate's own that the user has made global", async () => {
    trace.setGlobalTracerProvider(new CurrentTracerProvider(() => telemetry));
    runWorkflow();
    await telemetry.flush();
    expect(collector.spans.map((span) => span.name).sort()).toEqual([
      "inner",
      "library call",
      "workflow",
    ]);
    const library = collector.named("library call");
    expect(library.parentSpanId).toBe(collector.named("workflow").spanId);
    expect(Object.fromEntries(library.attributes)).toEqual(identityText);
    expect(collector.named("inner").parentSpanId).toBe(library.spanId);
  });

  it("gives twins to the spans that libraries make with Agate's provider", async () => {
    const { exporter } = setUpOpenTelemetry();
    const workflow = telemetry.startSpan("workflow", { kind: "WORKFLOW" });
    telemetry.withSpan(workflow, () =>
      telemetry.tracerProvider.getTracer("ai", "7").startActiveSpan("chat", (span) => span.end()),
    );
    workflow.end();
    await telemetry.flush();
    const twin = named(exporter.getFinishedSpans(), "chat");
    expect(twin.instrumentationScope).toMatchObject({ name: "ai", version: "7" });
    expect(twin.parentSpanContext?.spanId).toBe(workflow.spanContext().spanId);
    expect(collector.named("chat").parentSpanId).toBe(workflow.spanContext().spanId);
  });

  it("is not broken by a set-up that is", async () => {
    const broken = new Proxy({} as Span, {
      get(_target, key) {
        if (key === "spanContext") {
          return () => ({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 });
        }
        return () => {
          throw new Error("broken set-up");
        };
      },
    });
    trace.setGlobalTracerProvider({
      getTracer: () => ({ startSpan: () => broken, startActiveSpan: () => undefined as never }),
    });
    const span = telemetry.startSpan("work", { kind: "TASK" });
    span.setAttribute("a", 1);
    expect(telemetry.withSpan(span, () => "result")).toBe("result");
    span.end();
    await telemetry.flush();
    expect(Object.fromEntries(collector.named("work").attributes)).toMatchObject({ a: 1 });
    expect(telemetry.statistics().faults).toBeGreaterThan(0);
  });

  it("gets on with a context manager that adds to every context, as Sentry's does", async () => {
    const { exporter } = setUpOpenTelemetry();
    const added = Symbol("scope");
    class ScopedManager extends AsyncLocalStorageContextManager {
      override with: AsyncLocalStorageContextManager["with"] = (active, fn, thisArg, ...args) =>
        super.with(active.setValue(added, {}), fn, thisArg, ...args);
    }
    context.disable();
    context.setGlobalContextManager(new ScopedManager().enable());
    const seen = telemetrySlot.run(telemetry, () =>
      openSpan("outer", () => {
        using _block = openSpan("block");
        return openSpan("inner", () => context.active().getValue(added));
      }),
    );
    await telemetry.flush();
    expect(seen).toEqual({});
    const theirs = exporter.getFinishedSpans();
    const parentOf = (name: string) => named(theirs, name).parentSpanContext?.spanId;
    expect(parentOf("block")).toBe(named(theirs, "outer").spanContext().spanId);
    expect(parentOf("inner")).toBe(named(theirs, "block").spanContext().spanId);
    expect(collector.named("inner").parentSpanId).toBe(collector.named("block").spanId);
  });

  it("runs the function even if the context manager fails before", () => {
    context.setGlobalContextManager({
      active: () => {
        throw new Error("broken manager");
      },
      with: () => {
        throw new Error("broken manager");
      },
      bind: (_context, target) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    });
    const span = telemetry.startSpan("work", { kind: "TASK" });
    expect(telemetry.withSpan(span, () => "result")).toBe("result");
    expect(() =>
      telemetry.withSpan(span, () => {
        throw new Error("the function's own");
      }),
    ).toThrow("the function's own");
  });

  it("leaves suppressed work untraced", async () => {
    setUpOpenTelemetry({ sampler: new AlwaysOnSampler() });
    context.with(suppressTracing(context.active()), () => {
      const span = telemetry.startSpan("hidden", { kind: "TASK" });
      expect(telemetry.withSpan(span, () => 1)).toBe(1);
      span.end();
      using block = telemetrySlot.run(telemetry, () => openSpan("hidden too"));
      block.setAttribute("a", 1);
    });
    await telemetry.flush();
    expect(collector.spans).toEqual([]);
  });
});
