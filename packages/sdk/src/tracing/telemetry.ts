import type { SpanKind } from "@agate/protocol";
import type { Attributes, Context, Span, TracerProvider } from "@opentelemetry/api";
import { ContextSlot, type Held } from "../context/context-slot.ts";
import type { SpanOwner, TraceClock } from "./agate-span.ts";
import type { ContentOf, RecordedContent } from "./content-policy.ts";
import type { SpanProcessorLike, SpanProcessorOptions } from "./existing-span-processor.ts";

export interface SpanStart {
  readonly kind: SpanKind;
  /** Where the span hangs; the active span where not given. */
  readonly parent?: Context | undefined;
  readonly attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Attributes of Agate's own making, which need no check. Handed over: the span adds to them. */
  readonly own?: Attributes | undefined;
  /** The span began when this was started; now where not given. */
  readonly clock?: TraceClock | undefined;
}

/** The spans of one trace that have ended so far, for an answer that carries its own tree. */
export interface TraceCollection {
  /**
   * The tree as JSON text: one span record with its children; `null` if no span has ended. Ends the
   * collection.
   */
  take(): Promise<string>;
  /** Ends the collection without reading it. */
  drop(): void;
}

/** What became of the spans that were to be exported. */
export interface ExportStatistics {
  /** Accepted by the platform. */
  readonly exported: number;
  /** Lost for good: the queue was full, or the platform refused them. */
  readonly dropped: number;
  readonly queued: number;
  /** Why the last attempt failed; null when it succeeded. */
  readonly lastError: string | null;
  /** Failures inside telemetry itself, none of which the traced code has seen. */
  readonly faults: number;
}

/** Creates spans and sends them to the platform. One per app. It never throws into user code. */
export interface Telemetry {
  /** For libraries that take one; its spans are children of the call that is running. */
  readonly tracerProvider: TracerProvider;
  /** Starts a span that is exported to Agate, and to the process's own OpenTelemetry set-up if there is one. */
  startSpan(name: string, start: SpanStart): Span;
  /**
   * The span as the active one, for `contextWith`: enough where the context manager is Agate's own,
   * which `isActive` tells.
   */
  holding(span: Span): Held;
  isActive(span: Span): boolean;
  /** Runs a function with the span as the active one, for Agate and for OpenTelemetry. */
  withSpan<R>(span: Span, run: () => R): R;
  /** The context that a request's `traceparent` names; the active one where a server span is open already. */
  contextOf(headers: Pick<Headers, "get">): Context;
  /**
   * For the provider of an existing OpenTelemetry set-up: takes the spans that other libraries make
   * in it, of calls of Agate's.
   */
  spanProcessor(options?: SpanProcessorOptions): SpanProcessorLike;
  /**
   * Collects the spans of a trace from now on; with the id of a call's own span, only those of the
   * call, should others run in the same trace.
   */
  collect(traceId: string, spanId?: string): TraceCollection;
  /** What is recorded of a value: nothing when content is not recorded. Never throws. */
  contentText(value: unknown, about: ContentOf): RecordedContent;
  /** Replaces every known secret in a text. */
  redact(text: string): string;
  /** False when content is not to be recorded. */
  readonly capturesContent: boolean;
  /** Characters of JSON that are recorded of a value; 0 where content is not recorded. */
  readonly contentLimit: number;
  statistics(): ExportStatistics;
  /** Counts a failure that was kept from the traced code. */
  fault(error: unknown): void;
  /** What its spans know it as. */
  readonly owner: SpanOwner;
  /** Sends everything that has ended. Resolves when the platform has it, or when it cannot be reached. */
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** The telemetry of the app whose call is running. */
export const telemetrySlot = new ContextSlot<Telemetry>("telemetry");
