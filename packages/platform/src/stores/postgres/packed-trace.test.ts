import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import { SEGMENT_BYTES } from "../segments/segment-encoder.ts";
import { isFrame } from "../segments/segment-frame.ts";
import type { SpanBatch } from "../span-store.ts";
import type { IncomingTrace } from "./packed-trace.ts";
import { packTrace, TraceEncoder, unpackTrace } from "./packed-trace.ts";

const PROJECTS = ["one", "two"] as const;

/** Few ids, so that spans come again; some with texts that make the trace a single segment or several. */
const span = fc
  .record({
    trace: fc.nat(2),
    no: fc.nat(5),
    text: fc.string({ unit: "grapheme", maxLength: 20 }),
    times: fc.constantFrom(1, 1, 1, SEGMENT_BYTES / 40),
    hasFigures: fc.boolean(),
  })
  .map(({ trace, no, text, times, hasFigures }) =>
    storedSpan({
      traceId: traceIdOf(trace + 1),
      id: spanIdOf(no + 1),
      parentId: no === 0 ? null : spanIdOf(Math.ceil(no / 2)),
      start: no,
      latency: text.length,
      inputs: text.repeat(times),
      figures: hasFigures ? { role: "own", usage: usageOf(no, 1), cost: 0.25 } : null,
    }),
  );
const batches = fc.array(
  fc.record({
    project: fc.constantFrom(...PROJECTS),
    receivedAt: fc.nat(9),
    spans: fc.array(span, { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 4 },
);

describe("TraceEncoder", () => {
  it("joins batches to what the same spans are as one batch", () => {
    let [joint, segments] = [0, 0];
    fc.assert(
      fc.property(batches, (all) => {
        const encoder = new TraceEncoder();
        const apart = all.flatMap((batch) => encoder.encode(batch));
        const joined = encoder.joined(apart);
        expect(joined.map(readable)).toEqual(asOne(all).flatMap((one) => one.map(readable)));
        joint += apart.length - joined.length;
        segments = Math.max(segments, ...joined.map(({ trace }) => trace.segments.length));
      }),
    );
    expect(joint).toBeGreaterThan(0);
    expect(segments).toBeGreaterThan(1);
  });

  it("keeps short bodies that are not compressed, each in memory of its own", () => {
    const tiny = (n: number): StoredSpan => ({
      ...storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n) }),
      openRecord: `{"id":"${n}","total":`,
    });
    const spans = [tiny(1), tiny(2)];
    const traces = new TraceEncoder().encode({ project: "one", receivedAt: 0, spans });
    const bodies = traces.flatMap(({ trace }) => trace.segments.map(({ body }) => body));
    expect(bodies.map(isFrame)).toEqual([false, false]);
    expect(bodies.map((body) => Buffer.from(body).toString().slice(0, 18))).toEqual(
      spans.map(({ openRecord }) => openRecord),
    );
  });

  it("unpacks to what it packs again", () => {
    const spans = [storedSpan({ inputs: "text ".repeat(100) })];
    const [one] = new TraceEncoder().encode({ project: "one", receivedAt: 0, spans });
    const { traceId, columns, segments } = (one as IncomingTrace).trace;
    const packed = { traceId, columns, segments };
    expect(packTrace(unpackTrace(packed))).toEqual(packed);
    expect(segments.map(({ body }) => isFrame(body))).toEqual([true]);
  });
});

/** Encoded at once: for each project and trace, in the order in which they are first mentioned. */
function asOne(all: readonly SpanBatch[]): IncomingTrace[][] {
  const sent = all.flatMap(({ project, receivedAt, spans }) =>
    spans.map((one) => ({ project, receivedAt, one })),
  );
  const traces = Map.groupBy(sent, ({ project, one }) => `${project} ${one.traceId}`);
  return Array.from(traces.values(), (parts) => {
    const { project } = parts[0] as { project: string };
    const receivedAt = Math.max(...parts.map((part) => part.receivedAt));
    const spans = parts.map(({ one }) => one);
    return new TraceEncoder().encode({ project, receivedAt, spans });
  });
}

function readable({ project, receivedAt, trace }: IncomingTrace) {
  const { segments } = unpackTrace(trace);
  const sums = trace.segments.map(({ answerSum }) => answerSum);
  const bodies = segments.map(({ header, body, spans }) => [header, body.toString(), spans]);
  const { traceId, columns, top, topOpenLength, total } = trace;
  return { project, receivedAt, traceId, columns, top, topOpenLength, total, bodies, sums };
}
