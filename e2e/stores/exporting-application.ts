import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { type HttpExchange, HttpExchanges } from "../clients/http-exchanges.ts";

const BATCH = 50;
/** The exporter refuses more than 30 batches at a time. */
const SPANS = 20 * BATCH;

/** For all its attempts: it waits between them for as long as it is told, and a busy machine is slow. */
const PATIENCE_MS = 60_000;

/** An application with OpenTelemetry's own exporter, that has traced much. */
export interface ExportingApplication extends AsyncDisposable {
  /** One trace: a top, and all others below it. */
  readonly traceId: string;
  /** The names of those others, in the order in which they started. */
  readonly steps: readonly string[];
  /** The answers to it so far; where a balancer of this process is in between, each twice. */
  readonly answers: readonly HttpExchange[];
  /** Traces another batch of steps, which is sent at once. */
  traceMore(): void;
  /** Resolves when everything was acknowledged, or given up. */
  flush(): Promise<void>;
}

/** Begins to send. */
export function startExporting(serverUrl: string): ExportingApplication {
  const exchanges = new HttpExchanges();
  const exporter = new OTLPTraceExporter({
    url: `${serverUrl}/v1/traces`,
    timeoutMillis: PATIENCE_MS,
  });
  const provider = new TracerProvider({
    spanProcessors: [new BatchSpanProcessor({ exporter, maxExportBatchSize: BATCH })],
  });
  const tracer = provider.getTracer("geology-bot");
  const top = tracer.startSpan("top");
  const below = trace.setSpan(ROOT_CONTEXT, top);
  const steps: string[] = [];
  const flushes: Promise<void>[] = [];
  const startSteps = (count: number) => {
    for (let n = 0; n < count; n++) {
      const step = `step ${steps.length + 1}`;
      steps.push(step);
      tracer.startSpan(step, {}, below).end();
    }
    flushes.push(provider.forceFlush());
  };
  top.end();
  startSteps(SPANS - 1);
  return {
    traceId: top.spanContext().traceId,
    steps,
    get answers() {
      return exchanges.seen.filter(({ contentType }) => contentType === "application/x-protobuf");
    },
    traceMore: () => startSteps(BATCH),
    flush: async () => void (await Promise.all(flushes)),
    async [Symbol.asyncDispose]() {
      exchanges[Symbol.dispose]();
      await provider.shutdown();
    },
  };
}
