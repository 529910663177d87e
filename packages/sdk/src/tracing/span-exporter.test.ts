import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { isTracingSuppressed } from "@opentelemetry/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeExportResponse } from "../../../platform/src/ingest/otlp/encode-export-response.ts";
import { type Identity, identitySlot } from "../context/call-state.ts";
import { type Behaviour, Collector } from "./collector.fixture.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { Secrets } from "./secrets.ts";
import type { Telemetry } from "./telemetry.ts";
import { LONGEST_TIMER_MS, type TelemetryOptions } from "./telemetry-options.ts";

/** Nothing goes by itself within a test, and a retry comes at once. */
const LIMITS = { intervalMs: 1_000_000, retryMs: 1 };
const NO_RETRY = { retryMs: 2_000_000, maxRetryMs: 2_000_000 };

let collector: Collector;
let warnings: string[];
let started: Telemetry[];

beforeEach(async () => {
  collector = await new Collector().start();
  warnings = [];
  started = [];
});

afterEach(async () => {
  collector.behaviour = () => ({ status: 200 });
  await Promise.all(started.map((telemetry) => telemetry.shutdown()));
  await collector.stop();
});

function telemetryWith(options: TelemetryOptions = {}): Telemetry {
  const telemetry = createTelemetry({
    baseUrl: collector.url,
    secrets: new Secrets(),
    onWarning: (sentence) => warnings.push(sentence),
    ...options,
    limits: { ...LIMITS, ...options.limits },
  });
  started.push(telemetry);
  return telemetry;
}

function makeSpans(telemetry: Telemetry, count: number): void {
  for (let index = 0; index < count; index++) {
    telemetry.startSpan(`span ${index}`, { kind: "TASK" }).end();
  }
}

const names = () => collector.spans.map((span) => span.name).sort();
const expectedNames = (count: number) =>
  Array.from({ length: count }, (_, index) => `span ${index}`).sort();

describe("export", () => {
  it.each([LONGEST_TIMER_MS, LONGEST_TIMER_MS + 1, 2 ** 53, Number.POSITIVE_INFINITY])(
    "waits for an answer with a timeout of %d ms",
    async (timeoutMs) => {
      const fetch = async (url: string | URL | Request, init?: RequestInit) => {
        // A timer that is too long fires before this one.
        await new Promise((resolve) => setTimeout(resolve, 5));
        init?.signal?.throwIfAborted();
        return globalThis.fetch(url, init);
      };
      const telemetry = telemetryWith({ fetch, limits: { timeoutMs, flushMs: timeoutMs } });
      makeSpans(telemetry, 1);
      await telemetry.flush();
      expect(telemetry.statistics()).toMatchObject({ exported: 1, queued: 0, lastError: null });
    },
  );

  it("sends what has ended, with the key, as OTLP", async () => {
    const telemetry = telemetryWith({ apiKey: "k-1", baseUrl: `${collector.url}/` });
    const span = telemetry.startSpan("work", { kind: "TOOL", attributes: { n: 1 } });
    telemetry.startSpan("never ends", { kind: "TASK" });
    span.end();
    await telemetry.flush();
    const sent = collector.named("work");
    expect(sent.traceId).toBe(span.spanContext().traceId);
    expect(sent.spanId).toBe(span.spanContext().spanId);
    expect(Object.fromEntries(sent.attributes)).toEqual({ "ag.span.kind": "TOOL", n: 1 });
    expect(sent.scope.name).toBe("@agate/sdk");
    expect(collector.spans).toHaveLength(1);
    expect(collector.headers[0]).toMatchObject({
      authorization: "Bearer k-1",
      "content-type": "application/x-protobuf",
    });
    expect(telemetry.statistics()).toEqual({
      exported: 1,
      dropped: 0,
      queued: 0,
      lastError: null,
      faults: 0,
    });
  });

  it("sends a full batch without being asked, and the rest after the interval", async () => {
    const telemetry = telemetryWith({ limits: { batchSpans: 10, intervalMs: 5 } });
    makeSpans(telemetry, 25);
    await collector.until(() => collector.spans.length === 25);
    expect(Math.max(...collector.requests)).toBeLessThanOrEqual(10);
    expect(names()).toEqual(expectedNames(25));
  });

  it("keeps a batch below its size", async () => {
    const telemetry = telemetryWith({ limits: { batchBytes: 10_000 } });
    for (let index = 0; index < 9; index++) {
      const attributes = { text: "x".repeat(4_000) };
      telemetry.startSpan("large", { kind: "TASK", attributes }).end();
    }
    await telemetry.flush();
    expect(collector.requests).toEqual([2, 2, 2, 2, 1]);
  });

  it("loses nothing while the platform is down, and is silent about a short while", async () => {
    await collector.stop();
    // No retry of its own: one that began before the collector was back would end the second flush.
    const telemetry = telemetryWith({ limits: { retryMs: 1_000_000 } });
    makeSpans(telemetry, 30);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 0, dropped: 0, queued: 30 });
    expect(telemetry.statistics().lastError).toBe("ECONNREFUSED");
    await collector.start();
    await telemetry.flush();
    expect(names()).toEqual(expectedNames(30));
    expect(telemetry.statistics()).toMatchObject({ exported: 30, queued: 0, lastError: null });
    expect(warnings).toEqual([]);
  });

  it("comes back by itself when the platform does", async () => {
    let failures = 3;
    collector.behaviour = () => ({ status: failures-- > 0 ? 503 : 200 });
    const telemetry = telemetryWith({ limits: { batchSpans: 5 } });
    makeSpans(telemetry, 5);
    await collector.until(() => collector.spans.length === 5);
    expect(collector.requests).toEqual([5, 5, 5, 5]);
    expect(warnings).toEqual([
      `Agate at ${collector.url}/v1/traces takes no spans: it answered 503. They wait in memory and are sent when it does; what is traced is not affected.`,
    ]);
  });

  it("drops the newest when the queue is full, and tells how many once it is back", async () => {
    collector.behaviour = () => ({ status: 503 });
    const telemetry = telemetryWith({ limits: { maxSpans: 8, batchSpans: 4 } });
    makeSpans(telemetry, 20);
    await collector.until(() => collector.requests.length > 3);
    expect(telemetry.statistics()).toMatchObject({ dropped: 12, queued: 8 });
    collector.behaviour = () => ({ status: 200 });
    await collector.until(() => collector.spans.length === 8);
    await telemetry.flush();
    expect(names()).toEqual(expectedNames(8));
    expect(warnings.filter((sentence) => sentence.includes("lost"))).toEqual([
      `12 spans were lost because the queue for Agate at ${collector.url}/v1/traces was full: it answered 503.`,
    ]);
    expect(warnings).toHaveLength(2);
  });

  it("bounds the queue by size too", async () => {
    collector.behaviour = () => ({ status: 503 });
    const telemetry = telemetryWith({ limits: { maxBytes: 50_000 } });
    for (let index = 0; index < 10; index++) {
      telemetry.startSpan("large", { kind: "TASK", attributes: { text: "x".repeat(9_000) } }).end();
    }
    expect(telemetry.statistics()).toMatchObject({ dropped: 5, queued: 5 });
  });

  it.each([429, 502, 503, 504])("tries again after %i when it is told to", async (status) => {
    let isFirst = true;
    collector.behaviour = () => {
      const answer = isFirst ? { status, headers: { "retry-after": "0" } } : { status: 200 };
      isFirst = false;
      return answer;
    };
    const telemetry = telemetryWith({ limits: { retryMs: 1_000_000, batchSpans: 3 } });
    makeSpans(telemetry, 3);
    await collector.until(() => collector.spans.length === 3);
    expect(collector.requests).toEqual([3, 3]);
  });

  it("gives up on a request that takes too long, and tries again", async () => {
    let isFirst = true;
    collector.behaviour = () => {
      if (!isFirst) return { status: 200 };
      isFirst = false;
      return "hang";
    };
    const telemetry = telemetryWith({ limits: { timeoutMs: 20, batchSpans: 3 } });
    makeSpans(telemetry, 3);
    await collector.until(() => collector.spans.length === 3);
    expect(names()).toEqual(expectedNames(3));
  });

  it("splits what is too large, and loses only the span that is too large alone", async () => {
    collector.behaviour = (spans) => ({
      status: spans.length > 2 || spans.some((span) => span.name === "span 4") ? 413 : 200,
    });
    const telemetry = telemetryWith();
    makeSpans(telemetry, 9);
    await telemetry.flush();
    expect(names()).toEqual(expectedNames(9).filter((name) => name !== "span 4"));
    expect(telemetry.statistics()).toMatchObject({ exported: 8, dropped: 1, queued: 0 });
    expect(warnings).toEqual(["Spans were lost: they were too large for Agate."]);
  });

  it("loses only the span that cannot be encoded", async () => {
    const telemetry = telemetryWith();
    const processor = telemetry.spanProcessor({ all: true });
    const withoutIds = {
      name: "without ids",
      spanContext: () => ({ traceFlags: 1 }),
      startTime: [0, 0],
      endTime: [0, 0],
      attributes: {},
      status: { code: 0 },
    };
    makeSpans(telemetry, 4);
    processor.onStart(withoutIds, ROOT_CONTEXT);
    processor.onEnd(withoutIds);
    makeSpans(telemetry, 4);
    await telemetry.flush();
    expect(names()).toEqual([...expectedNames(4), ...expectedNames(4)].sort());
    expect(telemetry.statistics()).toMatchObject({ exported: 8, dropped: 1, queued: 0 });
    expect(warnings).toContain("Spans were lost: they could not be encoded.");
  });

  it("does not believe that more spans were rejected than were sent", async () => {
    collector.behaviour = () => ({ status: 200, body: encodeExportResponse("protobuf", 99, "no") });
    const telemetry = telemetryWith();
    makeSpans(telemetry, 5);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 0, dropped: 5 });
  });

  it.each([
    [401, "check AGATE_API_KEY"],
    [403, "check AGATE_API_KEY"],
    [404, "check that AGATE_BASE_URL is the address of Agate"],
    [400, "it answered 400"],
  ])("drops what is refused with %i and says once what to do", async (status, advice) => {
    collector.behaviour = () => ({ status });
    const telemetry = telemetryWith({ limits: { batchSpans: 2 } });
    makeSpans(telemetry, 6);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 0, dropped: 6, queued: 0 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(advice);
  });

  it("does not follow a redirect with the key, but says where it leads", async () => {
    collector.behaviour = () => ({ status: 308, headers: { location: "https://elsewhere.test/" } });
    const telemetry = telemetryWith({ apiKey: "k" });
    makeSpans(telemetry, 1);
    await telemetry.flush();
    expect(warnings[0]).toContain("set AGATE_BASE_URL");
  });

  it("counts what the platform rejects of a batch", async () => {
    const body = encodeExportResponse("protobuf", 2, "span_id must be 8 bytes");
    collector.behaviour = () => ({ status: 200, body });
    const telemetry = telemetryWith();
    makeSpans(telemetry, 5);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 3, dropped: 2 });
    expect(warnings).toEqual([
      `Agate at ${collector.url}/v1/traces rejected some spans: span_id must be 8 bytes.`,
    ]);
  });

  it.each<{ what: string; answer: ReturnType<Behaviour> }>([
    { what: "resets connections", answer: "reset" },
    { what: "answers 503", answer: { status: 503 } },
    { what: "asks for a short pause", answer: { status: 429, headers: { "retry-after": "0" } } },
  ])("tries again within a flush when the platform $what", async ({ answer }) => {
    let failures = 3;
    collector.behaviour = () => (failures-- > 0 ? answer : { status: 200 });
    const telemetry = telemetryWith({ limits: { batchSpans: 4 } });
    makeSpans(telemetry, 10);
    await telemetry.flush();
    expect(names()).toEqual(expectedNames(10));
    expect(telemetry.statistics()).toMatchObject({ exported: 10, dropped: 0, queued: 0 });
  });

  it("waits for the same next attempt in all flushes at a time", async () => {
    const attempts: number[] = [];
    collector.behaviour = () => ({ status: attempts.push(performance.now()) === 1 ? 503 : 200 });
    const telemetry = telemetryWith({ limits: { retryMs: 400 } });
    makeSpans(telemetry, 1);
    const flushes = [telemetry.flush()];
    await expect.poll(() => telemetry.statistics().lastError).toBe("it answered 503");
    for (let n = 0; n < 10; n++) {
      makeSpans(telemetry, 1);
      flushes.push(telemetry.flush());
    }
    await Promise.all(flushes);
    expect(telemetry.statistics()).toMatchObject({ exported: 11, queued: 0 });
    // Half of the pause is chance, and a timer may be a millisecond early.
    expect(attempts[1]! - attempts[0]!).toBeGreaterThan(190);
  });

  it.each(["0", "Wed, 21 Oct 2015 07:28:00 GMT"])(
    "makes a pause between attempts when the platform asks for %s",
    async (pause) => {
      collector.behaviour = () => ({ status: 503, headers: { "retry-after": pause } });
      const telemetry = telemetryWith({ limits: { retryMs: 1_000, flushMs: 350 } });
      makeSpans(telemetry, 1);
      await telemetry.flush();
      expect(collector.requests.length).toBeLessThanOrEqual(4);
    },
  );

  it("tries again at once what one request was refused when another is taken", async () => {
    const refusal = Promise.withResolvers<void>();
    let requests = 0;
    const fetch = async () => {
      requests++;
      if (requests === 1) return new Response(null, { status: 503 });
      if (requests === 2) await refusal.promise;
      return new Response(null, { status: 200 });
    };
    const limits = { ...NO_RETRY, flushMs: 500_000, batchSpans: 2 };
    const telemetry = telemetryWith({ fetch, limits });
    makeSpans(telemetry, 4);
    const flushed = telemetry.flush();
    await expect.poll(() => telemetry.statistics().lastError).toBe("it answered 503");
    refusal.resolve();
    await flushed;
    expect(telemetry.statistics()).toMatchObject({ exported: 4, queued: 0 });
  });

  it("ends a flush in its time when the platform stays down, and loses nothing", async () => {
    collector.behaviour = () => "reset";
    const telemetry = telemetryWith({ limits: { flushMs: 100, maxRetryMs: 5 } });
    makeSpans(telemetry, 10);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 0, dropped: 0, queued: 10 });
    collector.behaviour = () => ({ status: 200 });
    await collector.until(() => collector.spans.length > 0);
    await telemetry.flush();
    expect(names()).toEqual(expectedNames(10));
  });

  it("ends a flush at once when the next attempt would come after its time", async () => {
    collector.behaviour = () => ({ status: 503 });
    const telemetry = telemetryWith({ limits: { ...NO_RETRY, flushMs: 500_000 } });
    makeSpans(telemetry, 3);
    await telemetry.flush();
    expect(collector.requests).toEqual([3]);
    expect(telemetry.statistics().queued).toBe(3);
  });

  it.each([
    { downFor: 4_999, attempts: 3 },
    { downFor: 5_000, attempts: 1 },
  ])("makes $attempts attempts when the platform was down for $downFor ms", async (given) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      collector.behaviour = () => ({ status: 503 });
      const telemetry = telemetryWith({ limits: { flushMs: 5_000, retryMs: 1_000_000 } });
      makeSpans(telemetry, 3);
      await telemetry.flush();
      vi.advanceTimersByTime(given.downFor);
      let attempts = 0;
      collector.behaviour = () =>
        ++attempts < 3 ? { status: 503, headers: { "retry-after": "0" } } : { status: 200 };
      const flushed = telemetry.flush();
      const clock = setInterval(() => vi.advanceTimersByTime(10), 5);
      await flushed.finally(() => clearInterval(clock));
      expect(attempts).toBe(given.attempts);
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not press a platform that has asked for time", async () => {
    collector.behaviour = () => ({ status: 429, headers: { "retry-after": "3600" } });
    const telemetry = telemetryWith();
    makeSpans(telemetry, 3);
    await telemetry.flush();
    await telemetry.flush();
    makeSpans(telemetry, 1);
    await telemetry.flush();
    expect(collector.requests).toEqual([3]);
    expect(telemetry.statistics()).toMatchObject({ queued: 4, lastError: "it answered 429" });
  });

  it("waits no longer than it is allowed to for a platform that hangs", async () => {
    collector.behaviour = () => "hang";
    const telemetry = telemetryWith({ limits: { flushMs: 20 } });
    makeSpans(telemetry, 3);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 0, queued: 3 });
  });

  it("keeps trying during shutdown, and counts what comes after", async () => {
    let failures = 2;
    collector.behaviour = () => ({ status: failures-- > 0 ? 503 : 200 });
    const telemetry = telemetryWith();
    makeSpans(telemetry, 4);
    await telemetry.shutdown();
    expect(names()).toEqual(expectedNames(4));
    makeSpans(telemetry, 2);
    expect(telemetry.statistics()).toMatchObject({ exported: 4, dropped: 2, queued: 0 });
  });

  it("says what was lost when the platform is away at shutdown", async () => {
    await collector.stop();
    // It ends at once, as the next attempt would come when its time is up.
    const limits = { ...NO_RETRY, flushMs: 500_000 };
    const telemetry = telemetryWith({ limits });
    makeSpans(telemetry, 4);
    await telemetry.shutdown();
    expect(telemetry.statistics()).toMatchObject({ dropped: 4, queued: 0 });
    expect(warnings).toEqual([
      `4 spans were lost at shutdown: Agate at ${collector.url}/v1/traces did not take them, ECONNREFUSED.`,
    ]);
  });

  it("sends what two tracers make of the same spans in two lanes, each once", async () => {
    const telemetry = telemetryWith({ limits: { batchSpans: 7, intervalMs: 2 } });
    for (let round = 0; round < 40; round++) {
      makeSpans(telemetry, 11);
      if (round % 5 === 0) await telemetry.flush();
    }
    await telemetry.flush();
    const ids = collector.spans.map((span) => span.spanId);
    expect(ids).toHaveLength(440);
    expect(new Set(ids).size).toBe(440);
  });

  it("belongs to no call: neither traced nor holding a call's context", async () => {
    const seen: unknown[] = [];
    const others = new AsyncLocalStorage<string>();
    const telemetry = telemetryWith({
      limits: { intervalMs: 1 },
      fetch: async (input, init) => {
        seen.push([isTracingSuppressed(context.active()), identitySlot.get(), others.getStore()]);
        return fetch(input, init);
      },
    });
    const identity: Identity = {
      application: "a",
      variantId: null,
      variantName: null,
      revision: null,
      environment: null,
    };
    const span = telemetry.startSpan("outer", { kind: "WORKFLOW" });
    others.run("another library's", () =>
      identitySlot.run(identity, () => telemetry.withSpan(span, () => makeSpans(telemetry, 1))),
    );
    await collector.until(() => collector.spans.length === 1);
    expect(seen).toEqual([[true, undefined, undefined]]);
    expect(context.active()).toBe(ROOT_CONTEXT);
  });

  it("survives a fetch that throws and a listener of warnings that throws", async () => {
    const telemetry = telemetryWith({
      limits: NO_RETRY,
      fetch: () => {
        throw new Error("no network here");
      },
      onWarning: () => {
        throw new Error("no console either");
      },
    });
    makeSpans(telemetry, 2);
    await telemetry.flush();
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ queued: 2, lastError: "no network here" });
  });

  it("sends what a program has traced before it ends by itself", async () => {
    const source = `
      const { createTelemetry } = await import(${JSON.stringify(new URL("create-telemetry.ts", import.meta.url))});
      const telemetry = createTelemetry({ baseUrl: ${JSON.stringify(collector.url)} });
      telemetry.startSpan("last words", { kind: "TASK" }).end();`;
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", source]);
    expect(collector.named("last words").name).toBe("last words");
  });

  it.each([
    { what: "no address", options: { baseUrl: undefined } },
    { what: "telemetry disabled", options: { disabled: true } },
  ])("with $what, nothing is queued, sent or said", async ({ options }) => {
    const telemetry = telemetryWith(options);
    makeSpans(telemetry, 20_000);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 0, dropped: 0, queued: 0 });
    expect(collector.requests).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
