import { spanRecordSchema } from "@agate/protocol/schemas";
import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Collector } from "./collector.fixture.ts";
import { recordContent } from "./content-rules.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { resetOpenTelemetry, setUpOpenTelemetry } from "./otel-globals.fixture.ts";
import { addSecret, Secrets } from "./secrets.ts";
import type { Telemetry } from "./telemetry.ts";
import { recordFailure } from "./traced-call.ts";

let collector: Collector;
let telemetry: Telemetry;
let secrets: Secrets;

beforeEach(async () => {
  resetOpenTelemetry();
  collector = await new Collector().start();
  secrets = new Secrets();
  telemetry = createTelemetry({
    baseUrl: collector.url,
    application: "shop",
    secrets,
    onWarning: () => undefined,
  });
});

afterEach(async () => {
  await telemetry.shutdown();
  await collector.stop();
  resetOpenTelemetry();
});

const parentOf = (name: string) => collector.named(name).parentSpanId;
const idOf = (name: string) => collector.named(name).spanId;

describe("context", () => {
  it("nests spans through awaits, timers and other libraries, without any set-up", async () => {
    const outer = telemetry.startSpan("outer", { kind: "WORKFLOW" });
    await telemetry.withSpan(outer, async () => {
      await Promise.resolve();
      const inner = telemetry.startSpan("inner", { kind: "TASK" });
      await telemetry.withSpan(inner, async () => {
        await new Promise((resolve) => setTimeout(resolve, 0));
        telemetry.tracerProvider.getTracer("library").startSpan("library").end();
      });
      inner.end();
      telemetry.startSpan("sibling", { kind: "TASK" }).end();
    });
    outer.end();
    await telemetry.flush();
    expect(parentOf("outer")).toBeNull();
    expect(parentOf("inner")).toBe(idOf("outer"));
    expect(parentOf("library")).toBe(idOf("inner"));
    expect(parentOf("sibling")).toBe(idOf("outer"));
    expect(new Set(collector.spans.map((span) => span.traceId)).size).toBe(1);
  });

  it("registers a context manager where there is none, and never a tracer provider", () => {
    const key = Symbol("probe");
    const probe = ROOT_CONTEXT.setValue(key, 1);
    const seen = () => context.with(probe, () => context.active().getValue(key));
    expect(seen()).toBeUndefined();
    const span = telemetry.startSpan("first", { kind: "TASK" });
    expect(seen()).toBe(1);
    const bound = context.bind(probe, function (this: { n: number }, m: number) {
      return [this.n, m, context.active().getValue(key)];
    });
    expect(bound.call({ n: 1 }, 2)).toEqual([1, 2, 1]);
    expect(trace.getTracer("library").startSpan("nothing").isRecording()).toBe(false);
    expect(telemetry.withSpan(span, () => trace.getActiveSpan())).toBe(span);
  });

  it("uses the process's own context manager where there is one", () => {
    setUpOpenTelemetry();
    const key = Symbol("probe");
    const span = telemetry.startSpan("first", { kind: "TASK" });
    const value = context.with(ROOT_CONTEXT.setValue(key, 1), () =>
      telemetry.withSpan(span, () => [context.active().getValue(key), trace.getActiveSpan()]),
    );
    expect(value).toEqual([1, span]);
  });

  it("nests its own spans even where another version of OpenTelemetry's API has the globals", async () => {
    const globals = globalThis as Record<symbol, unknown>;
    const key = Symbol.for("opentelemetry.js.api.1");
    const before = globals[key];
    globals[key] = { version: "1.0.0" };
    try {
      const outer = telemetry.startSpan("outer", { kind: "WORKFLOW" });
      await telemetry.withSpan(outer, async () => {
        await Promise.resolve();
        const inner = telemetry.startSpan("inner", { kind: "TASK" });
        telemetry.withSpan(inner, () => telemetry.startSpan("innermost", { kind: "TASK" }).end());
        inner.end();
      });
      outer.end();
    } finally {
      globals[key] = before;
    }
    await telemetry.flush();
    expect(parentOf("inner")).toBe(idOf("outer"));
    expect(parentOf("innermost")).toBe(idOf("inner"));
  });

  it("makes Agate's spans visible to code that asks OpenTelemetry for the active one", () => {
    const span = telemetry.startSpan("work", { kind: "TASK" });
    telemetry.withSpan(span, () => trace.getActiveSpan()?.setAttribute("by", "library"));
    span.end();
    expect(span.isRecording()).toBe(false);
  });
});

describe("W3C trace context", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const parentId = "b7ad6b7169203331";

  it.each([
    ["01", 1],
    ["00", 0],
  ])(
    "joins the trace of a request with flag %s, records it, and keeps the flag",
    async (flag, expected) => {
      const headers = new Headers({
        traceparent: `00-${traceId}-${parentId}-${flag}`,
        tracestate: "vendor=1",
      });
      const parent = telemetry.contextOf(headers);
      const span = telemetry.startSpan("call", { kind: "WORKFLOW", parent });
      const inner = telemetry.withSpan(span, () => telemetry.startSpan("inner", { kind: "TASK" }));
      inner.end();
      span.end();
      await telemetry.flush();
      expect(span.spanContext()).toMatchObject({ traceId, traceFlags: expected });
      expect(inner.spanContext()).toMatchObject({ traceId, traceFlags: expected });
      expect(collector.named("call")).toMatchObject({
        traceId,
        parentSpanId: parentId,
        traceState: "vendor=1",
      });
      expect(parentOf("inner")).toBe(idOf("call"));
    },
  );

  it.each(["", "nonsense", "00-00000000000000000000000000000000-b7ad6b7169203331-01"])(
    "begins a trace where the header is %j",
    (traceparent) => {
      const parent = telemetry.contextOf(new Headers({ traceparent }));
      const span = telemetry.startSpan("call", { kind: "WORKFLOW", parent });
      expect(span.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span.spanContext().traceId).not.toBe("0".repeat(32));
    },
  );

  it("hangs below the server's span where one is open", () => {
    const server = telemetry.startSpan("server", { kind: "UNKNOWN" });
    telemetry.withSpan(server, () => {
      const parent = telemetry.contextOf(
        new Headers({ traceparent: `00-${traceId}-${parentId}-01` }),
      );
      expect(trace.getSpan(parent)).toBe(server);
    });
  });
});

describe("collection", () => {
  it("gives the tree of a call at once, as the platform would", async () => {
    const span = telemetry.startSpan("invoke_workflow answer", { kind: "WORKFLOW" });
    const { traceId, spanId } = span.spanContext();
    const collection = telemetry.collect(traceId, spanId);
    recordContent(telemetry, span, "inputs", { question: "why?" });
    recordContent(telemetry, span, "config", { temperature: 0.5 });
    telemetry.withSpan(span, () => {
      const llm = telemetry.startSpan("chat gpt-5-mini", {
        kind: "LLM",
        attributes: {
          "gen_ai.provider.name": "openai",
          "gen_ai.request.model": "gpt-5-mini",
          "gen_ai.usage.input_tokens": 1000,
          "gen_ai.usage.output_tokens": 100,
        },
      });
      recordFailure(telemetry, llm, new TypeError("rate limit"));
      llm.end();
      telemetry.startSpan("still open", { kind: "TASK" });
    });
    recordContent(telemetry, span, "outputs", ["because"]);
    span.end();
    const record = spanRecordSchema.parse(JSON.parse(await collection.take()));
    expect(record).toMatchObject({
      id: spanId,
      trace_id: traceId,
      name: "invoke_workflow answer",
      spankind: "WORKFLOW",
      content: { inputs: { question: "why?" }, internals: null, outputs: ["because"] },
      config: { temperature: 0.5 },
      metadata: { application: "shop" },
    });
    expect(record.metadata.total.usage).toMatchObject({ input_tokens: 1000, output_tokens: 100 });
    expect(record.metadata.total.cost).toBeGreaterThan(0);
    expect(record.children?.map((child) => [child.name, child.status])).toEqual([
      ["chat gpt-5-mini", "ERROR"],
    ]);
    expect(record.children?.[0]?.metadata.events[0]).toMatchObject({
      name: "exception",
      attributes: { "exception.type": "TypeError", "exception.message": "rate limit" },
    });
  });

  it("is the same record that the platform makes of the exported spans", async () => {
    const span = telemetry.startSpan("call", { kind: "WORKFLOW" });
    span.setAttribute("list", ["a", "b"]);
    const collection = telemetry.collect(span.spanContext().traceId);
    span.addEvent("event", { n: 1.5 });
    span.addLink({ context: telemetry.startSpan("linked", { kind: "TASK" }).spanContext() });
    span.end();
    const collected = JSON.parse(await collection.take());
    await telemetry.flush();
    const { createSpanMapper, nestedRecordsText } = await import("@agate/spans");
    const { shippedPrices } = await import("@agate/spans/prices");
    const toStoredSpan = createSpanMapper({ prices: shippedPrices(), projectId: null });
    const exported = nestedRecordsText([toStoredSpan(collector.named("call"))]);
    expect(collected).toEqual(JSON.parse(exported));
  });

  it("keeps calls apart that share a trace, and joins those made inside", async () => {
    const headers = new Headers({
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    });
    const parent = telemetry.contextOf(headers);
    const start = (name: string, from = parent) => {
      const span = telemetry.startSpan(name, { kind: "WORKFLOW", parent: from });
      const { traceId, spanId } = span.spanContext();
      return { span, collection: telemetry.collect(traceId, spanId) };
    };
    const first = start("first");
    const second = start("second");
    telemetry.withSpan(first.span, () => telemetry.startSpan("of first", { kind: "TASK" }).end());
    telemetry.withSpan(second.span, () => {
      const request = telemetry.startSpan("request", { kind: "TASK" });
      const { traceId, spanId } = request.spanContext();
      const sent = new Headers({ traceparent: `00-${traceId}-${spanId}-01` });
      const nested = start(
        "nested",
        context.with(ROOT_CONTEXT, () => telemetry.contextOf(sent)),
      );
      telemetry.withSpan(nested.span, () => telemetry.startSpan("deep", { kind: "TASK" }).end());
      nested.span.end();
      nested.collection.drop();
      request.end();
    });
    first.span.end();
    const names = (record: { name: string; children: null | never[] }): unknown => [
      record.name,
      ...(record.children ?? []).map(names),
    ];
    expect(names(JSON.parse(await first.collection.take()))).toEqual(["first", ["of first"]]);
    second.span.end();
    expect(names(JSON.parse(await second.collection.take()))).toEqual([
      "second",
      ["request", ["nested", ["deep"]]],
    ]);
  });

  it("holds so many spans and no more, the call's own among them, and says so", async () => {
    const quiet = createTelemetry();
    const span = quiet.startSpan("call", { kind: "WORKFLOW" });
    const collection = quiet.collect(span.spanContext().traceId);
    quiet.withSpan(span, () => {
      for (let index = 0; index < 10_500; index++) quiet.startSpan("step", { kind: "TASK" }).end();
    });
    span.end();
    const record = JSON.parse(await collection.take());
    expect(record.name).toBe("call");
    expect(record.children).toHaveLength(9_999);
    expect(record.metadata.attributes).toEqual({ "ag.trace.left_out_spans": 501 });
  });

  it("is null where nothing ended, and holds nothing after it was dropped", async () => {
    const collection = telemetry.collect("0af7651916cd43dd8448eb211c80319c");
    expect(await collection.take()).toBe("null");
    const span = telemetry.startSpan("call", { kind: "WORKFLOW" });
    const dropped = telemetry.collect(span.spanContext().traceId);
    dropped.drop();
    span.end();
    expect(await dropped.take()).toBe("null");
  });

  it("shows no secret", async () => {
    addSecret(secrets, "KEY", 'quo"ted-secret');
    const span = telemetry.startSpan("call", { kind: "WORKFLOW" });
    const collection = telemetry.collect(span.spanContext().traceId);
    recordContent(telemetry, span, "inputs", { key: 'quo"ted-secret' });
    recordFailure(telemetry, span, new Error('refused quo"ted-secret'));
    span.end();
    const text = await collection.take();
    expect(text).not.toContain("ted-secret");
    expect(JSON.parse(text)).toMatchObject({
      content: { inputs: { key: "[secret:KEY]" } },
      metadata: { status_message: "refused [secret:KEY]" },
    });
  });
});

describe("spans", () => {
  it("take no harm from values that cannot be recorded", async () => {
    const span = telemetry.startSpan("work", { kind: "TASK" });
    const hostile = {
      get value(): string {
        throw new Error("no");
      },
    };
    span.setAttribute("hostile", hostile as never);
    span.setAttribute(undefined as never, 1);
    span.setAttributes(null as never);
    span.setStatus(undefined as never);
    span.recordException(undefined as never);
    span.setAttribute("after", true);
    span.end();
    span.end();
    span.setAttribute("late", 1);
    await telemetry.flush();
    expect(collector.spans).toHaveLength(1);
    expect(Object.fromEntries(collector.named("work").attributes)).toEqual({
      "ag.span.kind": "TASK",
      after: true,
    });
  });

  it("say what they come from, by the environment and the app", async () => {
    process.env.OTEL_RESOURCE_ATTRIBUTES = "deployment.environment.name=blue%20one,broken";
    process.env.OTEL_SERVICE_NAME = "shop-service";
    try {
      const other = createTelemetry({ baseUrl: collector.url, application: "shop" });
      other.startSpan("work", { kind: "TASK" }).end();
      await other.shutdown();
    } finally {
      delete process.env.OTEL_RESOURCE_ATTRIBUTES;
      delete process.env.OTEL_SERVICE_NAME;
    }
    expect(Object.fromEntries(collector.named("work").resource.attributes)).toMatchObject({
      "service.name": "shop-service",
      "deployment.environment.name": "blue one",
      "ag.application": "shop",
    });
  });
});
