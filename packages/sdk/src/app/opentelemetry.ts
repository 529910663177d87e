import type { TracerProvider } from "@opentelemetry/api";
import { defaultTelemetry } from "../tracing/default-telemetry.ts";
import type {
  SpanProcessorLike,
  SpanProcessorOptions,
} from "../tracing/existing-span-processor.ts";
import type { ExportStatistics } from "../tracing/telemetry.ts";

/**
 * The tracer provider that `ag.route` and `ag.instrument` trace with. Agate never makes it the
 * process's own; give it to the libraries whose spans you want to see, or register it yourself.
 *
 * @example
 * new OpenAIInstrumentation().setTracerProvider(ag.tracerProvider());
 * trace.setGlobalTracerProvider(ag.tracerProvider()); // for every library at once
 */
export function tracerProvider(): TracerProvider {
  return defaultTelemetry().tracerProvider;
}

/**
 * For a process with an OpenTelemetry set-up of its own: sends Agate the spans that other libraries
 * make during a call.
 *
 * @example
 * new NodeSDK({ spanProcessors: [ag.spanProcessor(), new BatchSpanProcessor(yourExporter)] }).start();
 */
export function spanProcessor(options?: SpanProcessorOptions): SpanProcessorLike {
  return defaultTelemetry().spanProcessor(options);
}

/**
 * What became of the spans that were to be exported; `GET /health` shows it, too.
 *
 * @example
 * if (ag.exportStatistics().dropped > 0) alert();
 */
export function exportStatistics(): ExportStatistics {
  return defaultTelemetry().statistics();
}
