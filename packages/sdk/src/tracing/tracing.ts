import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";
import { type Span, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { activeContext, agateSpanIn } from "./active-context.ts";
import { agateSpanOf } from "./agate-span.ts";
import { recordContent } from "./content-rules.ts";
import { currentTelemetry } from "./default-telemetry.ts";
import { headersOf } from "./trace-headers.ts";

/** What a span may be told about whom it is for. */
export interface SpanMeta {
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly [attribute: string]: unknown;
}

/** Figures of the span itself: never a sum of what is below it. */
export interface SpanMetrics {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly totalTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** US dollars. */
  readonly cost?: number | undefined;
  readonly [attribute: string]: number | undefined;
}

const META_NAMES: Readonly<Record<string, string>> = {
  userId: AG.userId,
  sessionId: AG.sessionId,
};

const METRIC_NAMES: Readonly<Record<string, string>> = {
  inputTokens: AG.inputTokens,
  outputTokens: AG.outputTokens,
  totalTokens: AG.totalTokens,
  cachedInputTokens: AG.cachedInputTokens,
  reasoningTokens: AG.reasoningTokens,
  cost: AG.cost,
};

/** Adds to what is recorded of the code that is running. Outside a span, nothing happens. */
export const tracing = {
  /**
   * Records what happened between inputs and outputs. Objects are merged, key by key; anything else
   * replaces what was there.
   *
   * @example ag.tracing.storeInternals({ rewrittenQuestion })
   */
  storeInternals(value: unknown, span?: Span): void {
    onTarget(span, (target) => {
      recordContent(currentTelemetry(), target, "internals", merged(target, value));
    });
  },

  /**
   * Records what came out: for spans opened with `using`.
   *
   * @example ag.tracing.storeOutputs(documents)
   */
  storeOutputs(value: unknown, span?: Span): void {
    onTarget(span, (target) => recordContent(currentTelemetry(), target, "outputs", value));
  },

  /**
   * Sets attributes; `userId` and `sessionId` are those that traces are found by.
   *
   * @example ag.tracing.storeMeta({ userId: "ada", plan: "team" })
   */
  storeMeta(meta: SpanMeta, span?: Span): void {
    onTarget(span, (target) => setAttributes(target, meta, META_NAMES));
  },

  /**
   * Records tokens and cost of the span itself; other figures become attributes.
   *
   * @example ag.tracing.storeMetrics({ inputTokens: 120, outputTokens: 30, cost: 0.0004 })
   */
  storeMetrics(metrics: SpanMetrics, span?: Span): void {
    onTarget(span, (target) => setAttributes(target, metrics, METRIC_NAMES));
  },

  /**
   * The headers that continue the trace in a service that is called.
   *
   * @example await fetch(url, { headers: { ...ag.tracing.headers() } })
   */
  headers(): { traceparent?: string; tracestate?: string } {
    return headersOf(activeContext());
  },

  store_internals(value: unknown, span?: Span): void {
    tracing.storeInternals(value, span);
  },
  store_outputs(value: unknown, span?: Span): void {
    tracing.storeOutputs(value, span);
  },
  store_meta(meta: SpanMeta, span?: Span): void {
    tracing.storeMeta(meta, span);
  },
  store_metrics(metrics: SpanMetrics, span?: Span): void {
    tracing.storeMetrics(metrics, span);
  },
};

/** Without a span named, Agate's innermost is meant, else OpenTelemetry's active one. */
function onTarget(span: Span | undefined, store: (target: Span) => void): void {
  const active = activeContext();
  const target = span ?? agateSpanIn(active) ?? trace.getSpan(active);
  if (target === undefined) return;
  try {
    store(target);
  } catch (error) {
    currentTelemetry().fault(error);
  }
}

function setAttributes(
  target: Span,
  values: object,
  names: Readonly<Record<string, string>>,
): void {
  for (const [key, value] of Object.entries(values)) {
    const name = Object.hasOwn(names, key) ? names[key]! : key;
    if (isAttribute(value)) target.setAttribute(name, value);
    else if (value !== undefined) setContent(target, name, value);
  }
}

function isAttribute(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** What OpenTelemetry has no type for is JSON. */
function setContent(target: Span, name: string, value: unknown): void {
  const about = { field: "internals", span: "" } as const;
  const { text, isRedacted } = currentTelemetry().contentText(value, about);
  if (text !== null) target.setAttribute(name, text);
  if (isRedacted) target.setAttribute(AG.redacted, true);
}

function merged(target: Span, added: unknown): unknown {
  const known = internalsOf(target);
  return isObject(known) && isObject(added) ? { ...known, ...added } : added;
}

function internalsOf(target: Span): unknown {
  const { attributes } = agateSpanOf(target)?.record ?? (target as Partial<ReadableSpan>);
  const text = attributes?.[AG.internals];
  return typeof text === "string" ? JSON.parse(text) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
