import type { SpanKind } from "./span-kind.ts";
import type { SpanStatus } from "./span-status.ts";
import type { Usage } from "./usage.ts";

type Attributes = Record<string, unknown>;

/** Contract 2.2. */
export interface Variant {
  variant_id: string | null;
  variant_name: string | null;
  revision: number | null;
}

/** Tokens and US dollars; null where nobody knows. */
export interface Figures {
  usage: Usage | null;
  cost: number | null;
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

/** What the OpenTelemetry span said beyond its attributes; only what differs from the defaults. */
export interface OtelDetails {
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
  status_message: string | null;
  /** True where the client went away, or the consumer left, before the end; else not there. */
  cancelled?: true | undefined;
  /** True where the project's redaction rules have replaced something; else not there. */
  redacted?: true | undefined;
  events: SpanEvent[];
  links: SpanLink[];
  /** Every attribute that no other field shows. */
  attributes: Attributes;
  resource: Attributes;
  scope: InstrumentationScope | null;
  otel: OtelDetails;
  /** This span and everything below it, each token counted once. */
  total: Figures;
}

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
}

/** Contract 2.1: a span and the spans below it. */
export interface SpanRecord extends ListedSpan {
  children: SpanRecord[] | null;
}
