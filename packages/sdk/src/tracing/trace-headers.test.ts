import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  trace,
} from "@opentelemetry/api";
import {
  TraceState as OtelTraceState,
  suppressTracing,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextFromHeaders, headersOf } from "./trace-headers.ts";
import { TraceState } from "./trace-state.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";

/** What OpenTelemetry's propagator reads, and what Agate reads: the parts that a span keeps. */
function bothRead(carrier: Record<string, string>) {
  const propagated = new W3CTraceContextPropagator().extract(
    ROOT_CONTEXT,
    carrier,
    defaultTextMapGetter,
  );
  const own = contextFromHeaders(ROOT_CONTEXT, { get: (name) => carrier[name] ?? null });
  return [propagated, own].map((context) => {
    const span = trace.getSpanContext(context);
    return span && { ...span, traceState: span.traceState?.serialize() };
  });
}

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });
const traceparents = fc.oneof(
  fc.string(),
  fc
    .tuple(
      fc.constantFrom("", " ", "  "),
      fc.oneof(fc.constantFrom("00", "01", "ff", "FF", "0"), hex(2)),
      fc.oneof(fc.constantFrom("0".repeat(32), TRACE_ID.toUpperCase()), hex(32), hex(31)),
      fc.oneof(fc.constantFrom("0".repeat(16)), hex(16), hex(17)),
      fc.oneof(hex(2), hex(1)),
      fc.constantFrom("", "-", "-more", " ", "\n"),
    )
    .map(([before, version, traceId, spanId, flags, after]) => {
      return `${before}${version}-${traceId}-${spanId}-${flags}${after}`;
    }),
);

const keys = fc.oneof(
  fc.constantFrom("a", "b", "vendor", "tenant@vendor", "A", "", "1", "1@x", "a@b@c", "a b"),
  fc.string({ unit: fc.constantFrom(..."ab1_*/-@"), maxLength: 20 }),
  fc.constantFrom("k".repeat(256), "k".repeat(257), `${"1".repeat(241)}@${"v".repeat(14)}`),
);
const values = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom("1", "", " x", "x ", "a=b", "a,b", "~", "v".repeat(256), "v".repeat(257)),
);
const states = fc
  .uniqueArray(fc.tuple(keys, values), { selector: ([key]) => key.trim(), maxLength: 40 })
  .map((members) => members.map((member) => member.join("=")).join(","));

describe("the headers of a trace", () => {
  it("are read as OpenTelemetry reads them", () => {
    fc.assert(
      fc.property(traceparents, fc.option(states), (traceparent, tracestate) => {
        const [expected, read] = bothRead({
          traceparent,
          ...(tracestate !== null && { tracestate }),
        });
        expect(read).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("are written as they were read", () => {
    const written = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`, tracestate: "b=2,a=1" };
    const context = contextFromHeaders(ROOT_CONTEXT, new Headers(written));
    expect(headersOf(context)).toEqual(written);
    const carrier: Record<string, string> = {};
    new W3CTraceContextPropagator().inject(context, carrier, defaultTextMapSetter);
    expect(carrier).toEqual(written);
  });

  it("are not written outside a span, and where tracing is suppressed", () => {
    const headers = new Headers({ traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` });
    const context = contextFromHeaders(ROOT_CONTEXT, headers);
    expect(headersOf(context)).toEqual({ traceparent: headers.get("traceparent") });
    expect(headersOf(ROOT_CONTEXT)).toEqual({});
    expect(headersOf(suppressTracing(context))).toEqual({});
  });
});

describe("the state of a trace", () => {
  const changes = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant("set" as const), key: keys, value: values }),
      fc.record({ kind: fc.constant("unset" as const), key: keys }),
    ),
    { maxLength: 40 },
  );

  it("changes as OpenTelemetry's does", () => {
    fc.assert(
      fc.property(states, changes, (header, steps) => {
        let own: TraceState = TraceState.of(header);
        let model: OtelTraceState = new OtelTraceState(header);
        for (const step of steps) {
          own = step.kind === "set" ? own.set(step.key, step.value) : own.unset(step.key);
          model = step.kind === "set" ? model.set(step.key, step.value) : model.unset(step.key);
          expect(own.serialize()).toBe(model.serialize());
          expect(own.get(step.key)).toBe(model.get(step.key));
        }
      }),
      { numRuns: 300 },
    );
  });

  const manyMembers = (count: number) =>
    Array.from({ length: count }, (_, index) => `k${index}=1`).join(",");
  /** Members of `length` characters in all. */
  const longMembers = (length: number) => `a=${"v".repeat(250)},b=${"v".repeat(length - 255)}`;

  it.each([
    ["32 members", manyMembers(31), "1"],
    ["33 members", manyMembers(32), undefined],
    ["512 characters", longMembers(508), "1"],
    ["513 characters", longMembers(509), undefined],
  ])("with %s", (_what, header, expected) => {
    const state = TraceState.of(header);
    expect(state.serialize()).toBe(header);
    expect(state.set("z", "1").get("z")).toBe(expected);
    // A limit is the same for a header.
    expect(TraceState.of(`${header},z=1`).get("z")).toBe(expected);
  });
});
