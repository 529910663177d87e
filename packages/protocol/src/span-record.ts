import type { Score } from "./score.ts";

/** What a span did: OpenInference's words plus `WORKFLOW` and `TASK`. */
export const SPAN_KINDS = [
  "WORKFLOW",
  "AGENT",
  "CHAIN",
  "TASK",
  "TOOL",
  "LLM",
  "EMBEDDING",
  "RETRIEVER",
  "RERANKER",
  "GUARDRAIL",
  "EVALUATOR",
  "UNKNOWN",
] as const;

/** @example const kind: SpanKind = "LLM" */
export type SpanKind = (typeof SPAN_KINDS)[number];

/** What lists and figures are of: `live` by default; traces of evaluation runs are left out unless asked. */
export const TRAFFIC = ["live", "evaluation", "all"] as const;

/** @example const traffic: TrafficFilter = "live" */
export type TrafficFilter = (typeof TRAFFIC)[number];

/** The contract's `SpanStatusCode`, in OTLP's numeric order. */
export const SPAN_STATUSES = ["UNSET", "OK", "ERROR"] as const;

/** @example const status: SpanStatus = "OK" */
export type SpanStatus = (typeof SPAN_STATUSES)[number];

/**
 * Tokens of one model call, or of a subtree. `null` means that the figure was not reported, which
 * is not the same as 0. `input_tokens` includes the cached ones.
 *
 * @example { input_tokens: 12, output_tokens: 3, total_tokens: 15, cached_input_tokens: null, reasoning_tokens: null }
 */
export interface Usage {
  input_tokens: number | null;
  output_tokens: number | null;
  total_tokens: number | null;
  cached_input_tokens: number | null;
  reasoning_tokens: number | null;
}

/** The fields of {@link Usage}, in the order in which they are written. */
export const USAGE_FIELDS = [
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "cached_input_tokens",
  "reasoning_tokens",
] as const satisfies readonly (keyof Usage)[];

type Attributes = Record<string, unknown>;

/** Contract 2.2. */
export interface Variant {
  variant_id: string | null;
  variant_name: string | null;
  revision: number | null;
}

/** Tokens and US dollars; null where unknown. */
export interface Figures {
  usage: Usage | null;
  cost: number | null;
}

/** The figures of a span and everything below it. */
export interface TotalFigures extends Figures {
  /** How many model calls have tokens but no cost: `cost` is of the others. Not there where none lacks one. */
  unpriced_calls?: number | undefined;
}

export interface SpanEvent {
  name: string;
  time: string;
  attributes: Attributes;
  dropped_attributes_count?: number | undefined;
}

export interface SpanLink {
  trace_id: string;
  span_id: string;
  attributes: Attributes;
  trace_state?: string | undefined;
  flags?: number | undefined;
  dropped_attributes_count?: number | undefined;
}

export interface InstrumentationScope {
  name: string;
  version: string | null;
  attributes: Attributes;
  schema_url?: string | undefined;
  dropped_attributes_count?: number | undefined;
}

/** Fields of the OpenTelemetry span other than attributes, where they differ from the defaults. */
export interface OtelDetails {
  /** The span's own name, where the record has a better one. */
  name?: string | undefined;
  kind?: "INTERNAL" | "SERVER" | "CLIENT" | "PRODUCER" | "CONSUMER" | undefined;
  trace_state?: string | undefined;
  flags?: number | undefined;
  resource_schema_url?: string | undefined;
  dropped_attributes_count?: number | undefined;
  dropped_events_count?: number | undefined;
  dropped_links_count?: number | undefined;
}

export interface SpanMetadata {
  start_time: string;
  end_time: string | null;
  /** Milliseconds from start to end. */
  latency: number | null;
  model: string | null;
  provider: string | null;
  usage: Usage | null;
  cost: number | null;
  session_id: string | null;
  application: string | null;
  /** The number of the deployed build that has sent it; else not there. */
  build?: number | undefined;
  status_message: string | null;
  /** True where the client went away, or the consumer left, before the end; else not there. */
  cancelled?: true | undefined;
  /** True where redaction rules or the SDK's settings have replaced or left out something; else not there. */
  redacted?: true | undefined;
  events: SpanEvent[];
  links: SpanLink[];
  /** Every attribute that no other field shows. */
  attributes: Attributes;
  resource: Attributes;
  scope: InstrumentationScope | null;
  otel: OtelDetails;
  /** This span and everything below it, each token counted once. */
  total: TotalFigures;
  /** In lists of traces and live events: how many spans of the trace failed; not there where none did. */
  failed_spans?: number | undefined;
  /** Judgements of the span, in the order of their creation; left out where there are none. */
  scores?: Score[] | undefined;
}

/** Which values the records of a list have: previews of long ones, or all in full. */
export const LIST_CONTENTS = ["preview", "full"] as const;

/** @example const content: ListContent = "full" */
export type ListContent = (typeof LIST_CONTENTS)[number];

/** The fields of a record of which a list may have a preview. */
export const TRUNCATED_FIELDS = [
  "content.inputs",
  "content.internals",
  "content.outputs",
  "config",
  "metadata.status_message",
  "metadata.events",
  "metadata.links",
  "metadata.attributes",
  "metadata.resource",
  "metadata.scope",
  "metadata.otel",
  "metadata.scores",
] as const;

/** @example const field: TruncatedField = "content.inputs" */
export type TruncatedField = (typeof TRUNCATED_FIELDS)[number];

/** A span record as lists show it: without `children`. */
export interface ListedSpan {
  id: string;
  name: string;
  project_id: string | null;
  parent_span_id: string | null;
  /** RFC 3339 in UTC with six fraction digits. */
  created_at: string;
  variant: Variant;
  environment: string | null;
  spankind: SpanKind;
  status: SpanStatus;
  trace_id: string;
  user_id: string | null;
  /** JSON as the function saw it; null where not recorded. */
  content: { inputs: unknown; internals: unknown; outputs: unknown };
  config: Record<string, unknown> | null;
  metadata: SpanMetadata;
  /** In lists: the fields that are previews, with the size of the whole in bytes of JSON; else not there. */
  truncated?: Partial<Record<TruncatedField, number>> | undefined;
}

/** Contract 2.1: a span and the spans below it. */
export interface SpanRecord extends ListedSpan {
  children: SpanRecord[] | null;
}
