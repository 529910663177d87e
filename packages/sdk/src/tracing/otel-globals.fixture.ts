import { context, type TracerProvider, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  type Sampler,
  TracerProvider as SdkTracerProvider,
  SimpleSpanProcessor,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";

/** Takes back whatever a test has registered for the whole process. */
export function resetOpenTelemetry(): void {
  trace.disable();
  context.disable();
}

export interface ExistingProcess {
  readonly provider: TracerProvider;
  /** What the set-up itself exports. */
  readonly exporter: InMemorySpanExporter;
}

/** Sets OpenTelemetry up as a program does that knows nothing of Agate. */
export function setUpOpenTelemetry(
  options: { sampler?: Sampler; spanProcessors?: readonly SpanProcessor[] } = {},
): ExistingProcess {
  const exporter = new InMemorySpanExporter();
  const { sampler, spanProcessors = [] } = options;
  const provider = new SdkTracerProvider({
    ...(sampler === undefined ? {} : { sampler }),
    spanProcessors: [...spanProcessors, new SimpleSpanProcessor({ exporter })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return { provider, exporter };
}
