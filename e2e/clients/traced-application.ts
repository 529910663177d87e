import type { SpanRecord } from "@agate/protocol";
import type { Attributes, Span, Tracer } from "@opentelemetry/api";
import { context, SpanStatusCode } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { readTrace } from "./read-back.ts";
import { startTickingClock } from "./ticking-clock.ts";

/** An application with OpenTelemetry set up as the guide says, that sends to a running server. */
export interface TracedApplication extends AsyncDisposable {
  readonly provider: TracerProvider;
  readonly tracer: Tracer;
  /** Resolves when the next span of that name ends: some clients end theirs behind the caller. */
  nextEnd(spanName: string): Promise<void>;
  /** Runs the work in a span of its own, sends all there is, and reads the trace back. */
  trace(
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<unknown>,
  ): Promise<SpanRecord>;
}

export function startTracedApplication(serverUrl: string): TracedApplication {
  const clock = startTickingClock();
  const ends = new SpanEnds();
  const exporter = new OTLPTraceExporter({ url: `${serverUrl}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "geology-bot" }),
    spanProcessors: [ends, new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  const tracer = provider.getTracer("geology-bot");
  return {
    provider,
    tracer,
    nextEnd: (name) => ends.next(name),
    async trace(name, attributes, work) {
      const traceId = await tracer.startActiveSpan(name, { attributes }, async (span) => {
        try {
          await work(span);
        } catch (error) {
          span.recordException(error as Error);
          span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
        } finally {
          span.end();
        }
        return span.spanContext().traceId;
      });
      // The acknowledgement comes after the commit, so the trace is there as soon as this is over.
      await provider.forceFlush();
      return readTrace(serverUrl, traceId);
    },
    async [Symbol.asyncDispose]() {
      await provider.shutdown();
      context.disable();
      clock[Symbol.dispose]();
    },
  };
}

class SpanEnds implements SpanProcessor {
  readonly #waiting: { readonly name: string; resolve(): void }[] = [];

  next(name: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ name, resolve }));
  }

  onEnd(span: ReadableSpan): void {
    const index = this.#waiting.findIndex(({ name }) => name === span.name);
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.resolve();
  }

  onStart(): void {}
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}
