import type { SpanKind } from "@agate/protocol";
import type { Span } from "@opentelemetry/api";
import { cancellationSlot } from "../context/call-state.ts";
import { activeContext, contextInside, enterContext } from "./active-context.ts";
import { agateSpanOf } from "./agate-span.ts";
import { recordContent } from "./content-rules.ts";
import { currentTelemetry } from "./default-telemetry.ts";
import { runTraced } from "./run-traced.ts";
import type { SpanStart, Telemetry } from "./telemetry.ts";

export interface SpanOptions extends Pick<SpanStart, "attributes"> {
  /** `TASK` by default. */
  readonly kind?: SpanKind | undefined;
  readonly inputs?: unknown;
}

/** A span that is active until it is disposed of, which ends it. */
export type ActiveSpan = Span & Disposable;

/**
 * Opens a span for a block of code.
 *
 * With a callback, the span is active inside it, for Agate and for every library that speaks
 * OpenTelemetry; it ends with the callback, and what the callback returns is its output.
 *
 * With `using`, it is active until the end of the block. In a process with an OpenTelemetry set-up
 * of its own, only Agate's spans nest in it then: OpenTelemetry cannot enter a context without a
 * callback. And as `using` acts on the caller too until the first `await`, functions that run side
 * by side (`Promise.all([f(), f()])`) should use the callback.
 *
 * @example
 * const documents = await ag.span("retrieve", { kind: "RETRIEVER", inputs: question }, () => search(question));
 *
 * using span = ag.span("rank", { kind: "RERANKER" });
 * span.setAttribute("documents", documents.length);
 */
export function span(name: string, options?: SpanOptions): ActiveSpan;
export function span<R>(name: string, run: (span: Span) => R): R;
export function span<R>(name: string, options: SpanOptions, run: (span: Span) => R): R;
export function span<R>(
  name: string,
  second: SpanOptions | ((span: Span) => R) = {},
  third?: (span: Span) => R,
): ActiveSpan | R {
  const options = typeof second === "function" ? {} : second;
  const run = typeof second === "function" ? second : third;
  const telemetry = currentTelemetry();
  const { kind = "TASK", attributes, inputs } = options;
  const started = telemetry.startSpan(name, { kind, attributes });
  recordContent(telemetry, started, "inputs", inputs);
  if (run === undefined) return entered(telemetry, started);
  const returned = (value: unknown): void => recordContent(telemetry, started, "outputs", value);
  const { contentLimit: outputLimit } = telemetry;
  const cancellation = cancellationSlot.get();
  const call = { telemetry, span: started, cancellation, outputLimit, returned };
  return runTraced(call, () => run(started));
}

function entered(telemetry: Telemetry, started: Span): ActiveSpan {
  const own = agateSpanOf(started);
  // Suppressed: there is nothing to enter.
  if (own === undefined) return Object.assign(started, { [Symbol.dispose]: () => started.end() });
  try {
    own.leaveWith(enterContext(contextInside(activeContext(), started)));
  } catch (error) {
    telemetry.fault(error);
  }
  return started as ActiveSpan;
}
