import type { Score } from "@agate/protocol";
import type { ModelFigures, ModelSpan } from "./model-span.ts";

/** Tokens and cost as a record shows them. */
export interface ShownFigures {
  readonly usage: { readonly input: number; readonly output: number } | null;
  readonly cost: number | null;
  /** Calls with tokens and no cost. */
  readonly unpricedCalls: number;
}

/** The record of a span without `children`, by docs/reference/span-record.md. */
export function expectedRecord(
  span: ModelSpan,
  project: string,
  total: ShownFigures,
  scores: readonly Score[] = [],
  failedSpans = 0,
): object {
  const { figures } = span;
  return {
    id: span.spanId,
    name: span.name,
    project_id: project,
    parent_span_id: span.parentId,
    created_at: `${isoNanos(span.start).slice(0, -4)}Z`,
    variant: {
      variant_id: span.variant?.id ?? null,
      variant_name: span.variant?.name ?? null,
      revision: span.revision,
    },
    environment: span.environment,
    spankind: span.kind ?? "UNKNOWN",
    status: span.status,
    trace_id: span.traceId,
    user_id: span.userId,
    content: { inputs: span.inputs, internals: null, outputs: span.outputs },
    config: null,
    metadata: {
      start_time: isoNanos(span.start),
      end_time: span.end === null ? null : isoNanos(span.end),
      latency: latencyOf(span),
      model: null,
      provider: span.call?.provider ?? null,
      usage: usageOf(figures),
      cost: figures?.cost ?? null,
      session_id: span.sessionId,
      application: span.application,
      status_message: null,
      events: [],
      links: [],
      attributes: {
        ...(span.route !== null && { "ag.route": span.route }),
        ...(span.run !== null && { "ag.evaluation.run": span.run }),
        ...(span.call !== null && { "gen_ai.response.id": span.call.responseId }),
        ...(span.payload !== null && { payload: span.payload }),
      },
      resource: {},
      scope: null,
      otel: {},
      total: {
        usage: usageOf(total.usage),
        cost: total.cost,
        ...(total.unpricedCalls > 0 && { unpriced_calls: total.unpricedCalls }),
      },
      ...(failedSpans > 0 && { failed_spans: failedSpans }),
      ...(scores.length > 0 && { scores }),
    },
  };
}

/** Milliseconds from start to end; null for a span that has not ended or that ended before it began. */
export function latencyOf({ start, end }: ModelSpan): number | null {
  return end === null || end < start ? null : Number(end - start) / 1e6;
}

function usageOf(figures: ModelFigures | ShownFigures["usage"]): object | null {
  if (figures === null) return null;
  const { input, output } = figures;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: null,
    reasoning_tokens: null,
  };
}

function isoNanos(time: bigint): string {
  const seconds = time / 1_000_000_000n;
  const fraction = String(time % 1_000_000_000n).padStart(9, "0");
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}
