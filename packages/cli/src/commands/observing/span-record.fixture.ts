import type { SpanRecord } from "@agate/protocol";

/** A span as the API answers it: what matters to a test, and nothing recorded besides. */
export function spanRecord(
  given: Partial<Omit<SpanRecord, "metadata">> & {
    readonly metadata?: Partial<SpanRecord["metadata"]>;
  },
): SpanRecord {
  const start = given.created_at ?? "2026-11-15T10:00:00.000000Z";
  return {
    id: "b7ad6b7169203331",
    name: "span",
    project_id: "default",
    parent_span_id: null,
    created_at: start,
    variant: { variant_id: null, variant_name: null, revision: null },
    environment: null,
    spankind: "TASK",
    status: "OK",
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    user_id: null,
    content: { inputs: null, internals: null, outputs: null },
    config: null,
    children: null,
    ...given,
    metadata: {
      start_time: start,
      end_time: null,
      latency: 0,
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
      ...given.metadata,
    },
  };
}

/** Tokens of a call. */
export function tokens(total: number): NonNullable<SpanRecord["metadata"]["usage"]> {
  return {
    input_tokens: null,
    output_tokens: null,
    total_tokens: total,
    cached_input_tokens: null,
    reasoning_tokens: null,
  };
}
