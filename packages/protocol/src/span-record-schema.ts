import { z } from "zod";
import { scoreSchema } from "./score-schema.ts";
import type {
  Figures,
  ListedSpan,
  SpanMetadata,
  SpanRecord,
  TotalFigures,
  Usage,
  Variant,
} from "./span-record.ts";
import { SPAN_KINDS, SPAN_STATUSES, TRUNCATED_FIELDS } from "./span-record.ts";

const tokens = z.number().nonnegative().nullable();

export const usageSchema: z.ZodType<Usage> = z
  .strictObject({
    input_tokens: tokens,
    output_tokens: tokens,
    total_tokens: tokens,
    cached_input_tokens: tokens,
    reasoning_tokens: tokens,
  })
  .meta({ id: "Usage" });

const optionalText = z.string().nullable();
const attributes = z.record(z.string(), z.unknown());
/** RFC 3339 in UTC; `created_at` has six fraction digits, times inside `metadata` nine. */
const utcTime = z.iso.datetime();
const usd = z.number().nonnegative().nullable();

export const variantSchema: z.ZodType<Variant> = z
  .strictObject({
    variant_id: optionalText,
    variant_name: optionalText,
    revision: z.int().nullable(),
  })
  .meta({ id: "Variant" });

export const figuresSchema: z.ZodType<Figures> = z
  .strictObject({ usage: usageSchema.nullable(), cost: usd })
  .meta({ id: "Figures", description: "Tokens and US dollars; null where unknown." });

export const totalFiguresSchema: z.ZodType<TotalFigures> = z
  .strictObject({
    usage: usageSchema.nullable(),
    cost: usd,
    unpriced_calls: z.int().positive().optional().meta({
      description:
        "How many model calls have tokens but no cost, so that `cost` is of the others. Left out where none lacks one.",
    }),
  })
  .meta({
    id: "TotalFigures",
    description: "Tokens and US dollars of a span and everything below it; null where unknown.",
  });

const eventSchema = z
  .strictObject({
    name: z.string(),
    time: utcTime,
    attributes,
    dropped_attributes_count: z.int().optional(),
  })
  .meta({ id: "SpanEvent" });

const linkSchema = z
  .strictObject({
    trace_id: z.string(),
    span_id: z.string(),
    attributes,
    trace_state: z.string().optional(),
    flags: z.int().optional(),
    dropped_attributes_count: z.int().optional(),
  })
  .meta({ id: "SpanLink" });

const scopeSchema = z
  .strictObject({
    name: z.string(),
    version: optionalText,
    attributes,
    schema_url: z.string().optional(),
    dropped_attributes_count: z.int().optional(),
  })
  .meta({ id: "InstrumentationScope" });

/** Fields of the OpenTelemetry span other than attributes, where they differ from the defaults. */
const otelSchema = z
  .strictObject({
    name: z.string().optional(),
    kind: z.enum(["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]).optional(),
    trace_state: z.string().optional(),
    flags: z.int().optional(),
    resource_schema_url: z.string().optional(),
    dropped_attributes_count: z.int().optional(),
    dropped_events_count: z.int().optional(),
    dropped_links_count: z.int().optional(),
  })
  .meta({ id: "OtelDetails" });

export const metadataSchema: z.ZodType<SpanMetadata> = z
  .strictObject({
    start_time: utcTime,
    end_time: utcTime.nullable(),
    latency: z.number().nullable().meta({ description: "Milliseconds from start to end." }),
    model: optionalText,
    provider: optionalText,
    usage: usageSchema.nullable(),
    cost: usd,
    session_id: optionalText,
    application: optionalText,
    build: z.int().positive().optional().meta({
      description: "The number of the deployed build that has sent it.",
    }),
    status_message: optionalText,
    cancelled: z.literal(true).optional().meta({
      description: "The client went away, or the consumer left, before the end.",
    }),
    redacted: z.literal(true).optional().meta({
      description:
        "The project's redaction rules, or settings of the SDK, have replaced or left out something.",
    }),
    events: z.array(eventSchema),
    links: z.array(linkSchema),
    attributes: attributes.meta({ description: "Every attribute that no other field shows." }),
    resource: attributes,
    scope: scopeSchema.nullable(),
    otel: otelSchema,
    total: totalFiguresSchema.meta({
      description: "This span and everything below it, each token counted once.",
    }),
    failed_spans: z.int().positive().optional().meta({
      description:
        "In lists of traces and live events: how many spans of the trace failed, its top included. Left out where none did.",
    }),
    scores: z.array(scoreSchema).optional().meta({
      description:
        "Judgements of the span, in the order of their creation; left out where there are none.",
    }),
  })
  .meta({ id: "SpanMetadata" });

export const contentSchema = z
  .strictObject({ inputs: z.unknown(), internals: z.unknown(), outputs: z.unknown() })
  .meta({
    id: "SpanContent",
    description: "JSON as the function saw it; null where not recorded.",
  });

const listedFields = {
  id: z.string(),
  name: z.string(),
  project_id: optionalText,
  parent_span_id: optionalText,
  created_at: utcTime,
  variant: variantSchema,
  environment: optionalText,
  spankind: z.enum(SPAN_KINDS),
  status: z.enum(SPAN_STATUSES),
  trace_id: z.string(),
  user_id: optionalText,
  content: contentSchema,
  config: z.record(z.string(), z.unknown()).nullable(),
  metadata: metadataSchema,
};

/** A span record as lists show it: without `children`. */
export const listedSpanSchema: z.ZodType<ListedSpan> = z
  .strictObject({
    ...listedFields,
    truncated: z.partialRecord(z.enum(TRUNCATED_FIELDS), z.int().positive()).optional().meta({
      description:
        "The fields that are previews, with the size of the whole in bytes of JSON. Left out where none is.",
    }),
  })
  .meta({ id: "ListedSpan" });

/** Contract 2.1: a span and the spans below it. */
export const spanRecordSchema: z.ZodType<SpanRecord> = z
  .strictObject({
    ...listedFields,
    get children(): z.ZodNullable<z.ZodArray<z.ZodType<SpanRecord>>> {
      return z.array(spanRecordSchema).nullable();
    },
  })
  .meta({ id: "SpanRecord" });
