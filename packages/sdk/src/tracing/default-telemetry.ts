import type { TracerProvider } from "@opentelemetry/api";
import { createTelemetry } from "./create-telemetry.ts";
import { CurrentTracerProvider } from "./current-tracer-provider.ts";
import { withEnvironment } from "./environment-options.ts";
import {
  createSpanProcessor,
  type SpanProcessorLike,
  type SpanProcessorOptions,
} from "./existing-span-processor.ts";
import { type Telemetry, telemetrySlot } from "./telemetry.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** The one thing that a process has only one of: the telemetry of code that belongs to no app. */
const holder: { options: TelemetryOptions; telemetry: Telemetry | undefined } = {
  options: {},
  telemetry: undefined,
};

/** Sets how the process's own telemetry is made. It must come before the first traced call. */
export function configureTelemetry(options: TelemetryOptions): void {
  if (holder.telemetry !== undefined) {
    throw new Error(
      "ag.init() came too late: something has been traced already, with the settings of the environment. Call ag.init() first, in a module that is imported before the others.",
    );
  }
  holder.options = options;
}

/** The process's own telemetry, made when it is first asked for. */
export function defaultTelemetry(): Telemetry {
  holder.telemetry ??= createTelemetry(withEnvironment(holder.options));
  return holder.telemetry;
}

/** The telemetry of the app whose call is running, else the process's own. */
export function currentTelemetry(): Telemetry {
  return telemetrySlot.get() ?? defaultTelemetry();
}

/**
 * For libraries that take a tracer or a tracer provider: their spans become children of the call
 * that is running.
 *
 * @example
 * const tracer = ag.tracerProvider().getTracer("ai");
 * await generateText({ model, prompt, experimental_telemetry: { isEnabled: true, tracer } });
 */
export function tracerProvider(): TracerProvider {
  return new CurrentTracerProvider(currentTelemetry);
}

/**
 * For the provider of an existing OpenTelemetry set-up: takes the spans that other libraries make
 * inside calls of Agate's. The set-up keeps them too.
 *
 * @example
 * new NodeSDK({ spanProcessors: [ag.spanProcessor(), new BatchSpanProcessor(exporter)] }).start();
 */
export function spanProcessor(options: SpanProcessorOptions = {}): SpanProcessorLike {
  // Asked only when a span is there: a set-up is made before `ag.init()` is called.
  return createSpanProcessor(
    (around) => around ?? (options.all ? defaultTelemetry().owner : undefined),
  );
}
