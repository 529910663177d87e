import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { type Context, context, isSpanContextValid, trace } from "@opentelemetry/api";
import { warnOnConsole } from "../runtime/console.ts";
import { environment } from "../runtime/environment.ts";
import { SDK_VERSION } from "../version.ts";
import {
  activeContext,
  contextInside,
  ensureContextManager,
  holdingContext,
  runInContext,
} from "./active-context.ts";
import { AgateTracerProvider, type TracerParts } from "./agate-tracer.ts";
import { ContentPolicy, type RecordedContent } from "./content-policy.ts";
import { createSpanProcessor, ProcessorReminder } from "./existing-span-processor.ts";
import { Faults } from "./faults.ts";
import { LateExporter } from "./late-exporter.ts";
import type { ExporterParts } from "./queued-exporter.ts";
import { SpanRedaction } from "./redaction/span-redaction.ts";
import type { Secrets } from "./secrets.ts";
import { processSecrets } from "./secrets.ts";
import { SpanQueue } from "./span-queue.ts";
import { SpanRecorder } from "./span-recorder.ts";
import type { Telemetry } from "./telemetry.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";
import { exportLimits } from "./telemetry-options.ts";
import { telemetryResource } from "./telemetry-resource.ts";
import { TraceCollections } from "./trace-collections.ts";
import { contextFromHeaders } from "./trace-headers.ts";

const TRACER_NAME = "@agate/sdk";
const CONTENT_LIMIT = 1024 * 1024;
/** Kept to notice that a test or a tool has replaced it. */
const RUNTIME_FETCH = globalThis.fetch;

/**
 * Makes what an app traces with. It registers no tracer provider; a context manager only where the
 * process has none.
 *
 * @example
 * const telemetry = createTelemetry({ baseUrl: "http://127.0.0.1:4100" });
 * const span = telemetry.startSpan("retrieve", { kind: "RETRIEVER" });
 * const documents = await telemetry.withSpan(span, () => retrieve(question));
 * span.end();
 */
export function createTelemetry(
  options: TelemetryOptions & { readonly secrets?: Secrets } = {},
): Telemetry {
  const secrets = options.secrets ?? processSecrets;
  const warn = (sentence: string): void => {
    try {
      (options.onWarning ?? warnOnConsole)(secrets.redact(sentence));
    } catch {
      // A failing warning hook must not break tracing.
    }
  };
  const faults = new Faults(warn);
  const collections = new TraceCollections(secrets);
  const exporter = createExporter(options, { secrets, faults, warn });
  const reminder = new ProcessorReminder(exporter === null ? () => undefined : warn);
  const limit = options.contentLimit ?? CONTENT_LIMIT;
  const content = new ContentPolicy({ redact: options.redact, secrets, limit });
  // The environment may forbid what the code allows, but not the other way round.
  const capturesContent = options.captureContent !== false && environmentAllowsContent(warn);
  const redaction = SpanRedaction.of({ capturesContent, redact: options.redact });
  const redact = (text: string): string => secrets.redact(redaction?.text(text) ?? text);
  const flush = async (): Promise<void> => exporter?.flush();

  const parts: TracerParts = {
    faults,
    secrets,
    redaction,
    foreign: new WeakSet(),
    recorder: new SpanRecorder(telemetryResource(options.application)),
    prepare: once(() => faults.guard(ensureContextManager, undefined)),
    twinStarted: (twin) => reminder.twinStarted(twin),
    take: (ended) => {
      const shown = redaction?.ended(ended) ?? ended;
      collections.add(shown);
      exporter?.add(shown);
    },
    processorSeen: () => reminder.processorSeen(),
    flush,
  };
  const tracerProvider = new AgateTracerProvider(parts);
  const tracer = tracerProvider.getTracer(TRACER_NAME, SDK_VERSION);

  return {
    tracerProvider,
    owner: parts,
    capturesContent,
    contentLimit: capturesContent ? limit : 0,
    startSpan(name, { kind, parent, attributes, own = {}, clock }) {
      own[AGATE_ATTRIBUTES.spanKind] = kind;
      const given = attributes === undefined ? NO_OPTIONS : { attributes };
      return tracer.begin(name, given, own, parent, clock);
    },
    holding: (span) => holdingContext(contextInside(activeContext(), span)),
    isActive: (span) => faults.guard(() => trace.getSpan(context.active()) === span, false),
    withSpan: (span, run) => runInContext(faults, contextInside(activeContext(), span), run),
    contextOf: (headers) => faults.guard(() => contextOf(headers), activeContext()),
    spanProcessor: ({ all = false } = {}) =>
      createSpanProcessor((around) => (all || around === parts ? parts : undefined)),
    collect: (traceId, spanId) => collections.collect(traceId, spanId),
    contentText(value, about) {
      if (!capturesContent) return NOT_CAPTURED;
      try {
        return content.recordedOf(value, about);
      } catch (error) {
        faults.add(error);
        return UNREADABLE;
      }
    },
    redact,
    fault: (error) => faults.add(error),
    statistics: () => ({ ...(exporter?.statistics() ?? NO_EXPORT), faults: faults.count }),
    flush,
    shutdown: async () => exporter?.shutdown(),
  };
}

const NO_OPTIONS = {};
const NO_EXPORT = { exported: 0, dropped: 0, queued: 0, lastError: null };
const UNREADABLE: RecordedContent = { text: JSON.stringify("[unreadable]"), isRedacted: false };
const NOT_CAPTURED: RecordedContent = { text: null, isRedacted: true };

function contextOf(headers: Pick<Headers, "get">): Context {
  const active = activeContext();
  const inSpan = trace.getSpanContext(active);
  // An instrumented server has read the headers already, and opened a span for the request.
  if (inSpan !== undefined && isSpanContextValid(inSpan)) return active;
  return contextFromHeaders(active, headers);
}

function createExporter(
  options: TelemetryOptions,
  parts: Omit<ExporterParts, "target" | "limits" | "queue">,
): LateExporter | null {
  const { baseUrl, apiKey, disabled } = options;
  if (baseUrl === undefined || disabled) return null;
  const limits = exportLimits(options.limits);
  const target = {
    url: `${baseUrl.replace(/\/+$/, "")}/v1/traces`,
    apiKey,
    // Found when it is called: a test or a tool may have replaced it by then.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    isFetchReplaced: () => options.fetch !== undefined || globalThis.fetch !== RUNTIME_FETCH,
    timeoutMs: limits.timeoutMs,
  } satisfies ExporterParts["target"];
  return new LateExporter({ ...parts, target, limits, queue: new SpanQueue(limits) });
}

const CAPTURE_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

/** As OpenTelemetry's own libraries read it, but that content is recorded where it is not set. */
function environmentAllowsContent(warn: (sentence: string) => void): boolean {
  const value = environment(CAPTURE_CONTENT)?.trim().toLowerCase() ?? "";
  switch (value) {
    case "":
    case "true":
    case "span_only":
    case "span_and_event":
      return true;
    case "false":
    case "no_content":
    // Events are log records, which the SDK does not send; what is in a span is in the span.
    case "event_only":
      return false;
    default:
      warn(
        `${CAPTURE_CONTENT} is ${JSON.stringify(value)}, which is none of true, false, NO_CONTENT, SPAN_ONLY, EVENT_ONLY and SPAN_AND_EVENT: no content is recorded. Set it to one of them.`,
      );
      return false;
  }
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}
