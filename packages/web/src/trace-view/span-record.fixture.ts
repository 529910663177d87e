import type { SpanRecord } from "@agate/protocol";
import fc from "fast-check";

/** 2026-11-15, noon. */
export const NOON = Date.UTC(2026, 10, 15, 12);

export interface SpanSketch {
  readonly id: string;
  readonly name?: string;
  /** Milliseconds after {@link NOON}. */
  readonly from?: number;
  readonly to?: number;
  readonly parentId?: string | null;
  readonly children?: readonly SpanRecord[];
  readonly record?: Partial<SpanRecord>;
  readonly metadata?: Partial<SpanRecord["metadata"]>;
}

/** A record of which only what matters is told. */
export function spanRecord(sketch: SpanSketch): SpanRecord {
  const { id, name = id, from = 0, to = from, parentId = null, children = [] } = sketch;
  const start = new Date(NOON + from).toISOString();
  return {
    id,
    name,
    project_id: "default",
    parent_span_id: parentId,
    created_at: start,
    variant: { variant_id: null, variant_name: null, revision: null },
    environment: null,
    spankind: "TASK",
    status: "OK",
    trace_id: "trace",
    user_id: null,
    content: { inputs: null, internals: null, outputs: null },
    config: null,
    metadata: {
      start_time: start,
      end_time: new Date(NOON + to).toISOString(),
      latency: to - from,
      model: null,
      provider: null,
      usage: null,
      cost: null,
      session_id: null,
      application: null,
      status_message: null,
      events: [],
      links: [],
      attributes: {},
      resource: {},
      scope: null,
      otel: {},
      total: { usage: null, cost: null },
      ...sketch.metadata,
    },
    children: children.length === 0 ? null : [...children],
    ...sketch.record,
  };
}

/**
 * Any trace: every span hangs under one that was made before it, and may begin and end whenever it
 * likes, also outside of its parent's time.
 */
export const anyTrace: fc.Arbitrary<SpanRecord> = fc
  .array(fc.record({ under: fc.nat(), from: fc.nat(1000), lasts: fc.nat(1000) }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((sketches) => {
    const spans = sketches.map(({ from, lasts }, n) =>
      spanRecord({ id: `s${n}`, from, to: from + lasts }),
    );
    for (const [n, { under }] of sketches.entries()) {
      if (n === 0) continue;
      const parent = spans[under % n]!;
      parent.children = [...(parent.children ?? []), spans[n]!];
      spans[n]!.parent_span_id = parent.id;
    }
    return spans[0]!;
  });

/** One span below the other. */
export function chain(length: number): SpanRecord {
  let below: SpanRecord | undefined;
  for (let n = length - 1; n >= 0; n -= 1) {
    below = spanRecord({
      id: `s${n}`,
      from: n,
      to: 2 * length - n,
      parentId: n === 0 ? null : `s${n - 1}`,
      children: below === undefined ? [] : [below],
    });
  }
  return below!;
}
