import {
  type Attributes,
  type Exception,
  isValidSpanId,
  isValidTraceId,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  type SpanStatusCode,
  type TimeInput,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { suppressTracing, TraceState } from "@opentelemetry/core";
import {
  AlwaysOnSampler,
  createAlwaysRecordSampler,
  ParentBasedSampler,
  type ReadableSpan,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RecordedSpan, randomId, SpanRecorder } from "./span-recorder.ts";

const IDS = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const SCOPE = { name: "a library", version: "1.2.3", schemaUrl: "https://example.com/scope" };
const RESOURCE = { attributes: { "service.name": "a service" } };
const NOW = Date.UTC(2026, 10, 16);

beforeEach(() => {
  // Times that were not given are those of the clock, which must not run on between two recorders.
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** OpenTelemetry's own, with the settings that Agate's recorder has built in. */
const provider = new TracerProvider({
  idGenerator: { generateTraceId: () => IDS.traceId, generateSpanId: () => IDS.spanId },
  sampler: createAlwaysRecordSampler(new ParentBasedSampler({ root: new AlwaysOnSampler() })),
  spanLimits: { attributeCountLimit: 4_096, eventCountLimit: 1_024, linkCountLimit: 1_024 },
});

type Change = (span: Span) => unknown;

/** Does the same to a span of each recorder. */
function recordTwice(options: SpanOptions, context: typeof ROOT_CONTEXT, changes: Change[]) {
  const given = { ...options, startTime: options.startTime ?? NOW };
  const tracer = provider.getTracer(SCOPE.name, SCOPE.version, { schemaUrl: SCOPE.schemaUrl });
  const theirs = tracer.startSpan("a span", given, context);
  const ours = new SpanRecorder(RESOURCE).start(SCOPE, "a span", given, context, IDS);
  for (const change of changes) {
    change(theirs);
    change(ours);
  }
  return { theirs: theirs as Span & ReadableSpan, ours: ours as RecordedSpan };
}

function factsOf(span: Span & Omit<ReadableSpan, "resource" | "duration">) {
  return {
    context: { ...span.spanContext(), traceState: span.spanContext().traceState?.serialize() },
    parent: span.parentSpanContext,
    name: span.name,
    kind: span.kind,
    startTime: span.startTime,
    endTime: span.endTime,
    ended: span.ended,
    isRecording: span.isRecording(),
    status: span.status,
    attributes: span.attributes,
    events: span.events,
    links: span.links,
    scope: span.instrumentationScope,
    dropped: [span.droppedAttributesCount, span.droppedEventsCount, span.droppedLinksCount],
  };
}

const circular: unknown[] = [];
circular.push(circular);
// OpenTelemetry's copy of an object makes this key the prototype, and copies attributes at the start twice.
const key = fc.string().filter((name) => name !== "__proto__");
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.oneof(
      fc.string(),
      fc.double(),
      fc.boolean(),
      fc.uint8Array(),
      fc.constantFrom<unknown>(null, undefined, 1n, Symbol("s"), () => 1, new Date(0), circular),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    fc.array(fc.oneof(fc.integer(), fc.constant(null)), { maxLength: 3 }),
  ),
}));
const attributes = fc.dictionary(fc.string({ maxLength: 3 }), value) as fc.Arbitrary<Attributes>;
const time = fc.oneof(
  fc.constant(undefined),
  fc.tuple(fc.nat(2_000_000_000), fc.nat(999_999_999)),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(NOW * 2) }),
  fc.integer({ min: 0, max: NOW * 2 }),
  fc.double({ min: 0, max: 10, noNaN: true }),
) as fc.Arbitrary<TimeInput | undefined>;
const linkedContext = { ...IDS, traceFlags: TraceFlags.NONE };
const link: fc.Arbitrary<Link> = fc.record(
  { context: fc.constant(linkedContext), attributes },
  { requiredKeys: ["context"] },
);
const exception = fc.oneof(
  fc.string(),
  fc.record(
    {
      code: fc.oneof(fc.string(), fc.nat()),
      name: fc.string(),
      message: fc.string(),
      stack: fc.string(),
    },
    // OpenTelemetry shows an exception that says nothing as a text, which it needs a prototype for.
    { requiredKeys: [], noNullPrototype: true },
  ),
  fc.constant(null),
) as fc.Arbitrary<Exception>;
const status = fc.record(
  { code: fc.constantFrom(0, 1, 2), message: fc.oneof(fc.string(), fc.integer()) },
  { requiredKeys: ["code"] },
) as fc.Arbitrary<{ code: SpanStatusCode; message?: string }>;

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.string({ maxLength: 3 }), value).map(
    ([key, given]): Change =>
      (span) =>
        span.setAttribute(key, given as string),
  ),
  attributes.map(
    (given): Change =>
      (span) =>
        span.setAttributes(given),
  ),
  fc.tuple(fc.string(), fc.oneof(attributes, time), time).map(
    ([name, given, at]): Change =>
      (span) =>
        span.addEvent(name, given, at),
  ),
  link.map(
    (given): Change =>
      (span) =>
        span.addLink(given),
  ),
  fc.array(link, { maxLength: 2 }).map(
    (given): Change =>
      (span) =>
        span.addLinks(given),
  ),
  status.map(
    (given): Change =>
      (span) =>
        span.setStatus(given),
  ),
  fc.string().map(
    (name): Change =>
      (span) =>
        span.updateName(name),
  ),
  fc.tuple(exception, time).map(
    ([given, at]): Change =>
      (span) =>
        span.recordException(given, at),
  ),
  time.map(
    (at): Change =>
      (span) =>
        span.end(at),
  ),
);
const options = fc.record(
  {
    kind: fc.constantFrom(SpanKind.CLIENT, SpanKind.CONSUMER),
    startTime: time,
    attributes,
    links: fc.array(link, { maxLength: 3 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<SpanOptions>;
const context = fc
  .option(
    fc.record({
      traceId: fc.constantFrom("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32)),
      spanId: fc.constant("00f067aa0ba902b7"),
      traceFlags: fc.constantFrom(0, 1, 3),
      isRemote: fc.boolean(),
      traceState: fc.constantFrom(undefined, new TraceState("vendor=a,other=b")),
    }),
  )
  .map((parent) =>
    parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent as never),
  );

describe("a recorded span", () => {
  it("holds what OpenTelemetry's own SDK holds, after any operations", () => {
    fc.assert(
      fc.property(options, context, fc.array(change), (given, around, changes) => {
        const { theirs, ours } = recordTwice(given, around, changes);
        expect(factsOf(ours)).toEqual(factsOf(theirs));
      }),
      { numRuns: 300 },
    );
  });

  it("drops what is beyond its limits: the later attributes, the earlier events and links", () => {
    const keys = Array.from({ length: 5_000 }, (_, n) => [`key ${n}`, n] as const);
    const links = Array.from({ length: 1_100 }, (_, n) => ({
      context: linkedContext,
      attributes: { n },
    }));
    const changes: Change[] = [
      (span) => span.setAttribute("key 1", "changed").setAttribute("one more", 1),
      (span) => span.addLink(links[0]!),
      (span) => span.addEvent("wide", Object.fromEntries(keys)),
      (span) => span.addLink({ context: linkedContext, attributes: Object.fromEntries(keys) }),
    ];
    for (let n = 0; n < 1_100; n += 1) changes.push((span) => span.addEvent(`event ${n}`, { n }));
    const given = { attributes: Object.fromEntries(keys), links };
    const { theirs, ours } = recordTwice(given, ROOT_CONTEXT, changes);
    expect(factsOf(ours)).toEqual(factsOf(theirs));
    expect(Object.keys(ours.attributes)).toHaveLength(4_096);
    expect(ours.events[0]!.name).toBe("event 76");
    expect([ours.links.length, ours.droppedLinksCount]).toEqual([1_024, 78]);
  });

  it("takes attributes one by one up to the limit", () => {
    const changes = Array.from(
      { length: 4_100 },
      (_, n): Change =>
        (span) =>
          span.setAttribute(`key ${n}`, n),
    );
    const { theirs, ours } = recordTwice({}, ROOT_CONTEXT, changes);
    expect(factsOf(ours)).toEqual(factsOf(theirs));
    expect(ours.droppedAttributesCount).toBe(4);
  });

  it("is none where tracing is suppressed", () => {
    const { theirs, ours } = recordTwice({}, suppressTracing(ROOT_CONTEXT), []);
    expect(ours).not.toBeInstanceOf(RecordedSpan);
    expect(ours.isRecording()).toBe(false);
    expect(ours.spanContext()).toEqual(theirs.spanContext());
  });

  it("has ids of its own where none are given", () => {
    const recorder = new SpanRecorder(RESOURCE);
    const spans = Array.from({ length: 100 }, () =>
      recorder.start(SCOPE, "a span", { startTime: NOW }, ROOT_CONTEXT, undefined).spanContext(),
    );
    for (const { traceId, spanId } of spans) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    }
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });
});

describe("a random id", () => {
  it("is valid for OpenTelemetry, and like no other", () => {
    const traces = Array.from({ length: 5_000 }, () => randomId(16));
    const spans = Array.from({ length: 5_000 }, () => randomId(8));
    expect(traces.every(isValidTraceId)).toBe(true);
    expect(spans.every(isValidSpanId)).toBe(true);
    expect(new Set([...traces, ...spans]).size).toBe(10_000);
  });

  it("has every value in every digit", () => {
    const ids = Array.from({ length: 2_000 }, () => randomId(16));
    for (let place = 0; place < 32; place++) {
      expect(new Set(ids.map((id) => id[place])).size).toBe(16);
    }
  });

  it("keeps the zeros of small bytes, and is drawn again where it is all zeros", () => {
    const draws = [0, 0, 0x01020304 / 2 ** 32, 0xffffffff / 2 ** 32];
    vi.spyOn(Math, "random").mockImplementation(() => draws.shift() as number);
    expect(randomId(8)).toBe("01020304ffffffff");
    vi.restoreAllMocks();
  });
});
