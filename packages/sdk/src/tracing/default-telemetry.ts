import type {
  Context,
  Span,
  SpanOptions,
  Tracer,
  TracerOptions,
  TracerProvider,
} from "@opentelemetry/api";
import type { ActiveSpanArguments } from "./agate-tracer.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { AGATE_PROVIDER } from "./existing-setup.ts";
import {
  createSpanProcessor,
  type SpanProcessorLike,
  type SpanProcessorOptions,
} from "./existing-span-processor.ts";
import { type Telemetry, telemetrySlot } from "./telemetry.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";
import { withEnvironment } from "./telemetry-options.ts";

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

/** Gives tracers that ask at each span whose call is running, and make it a span of that app. */
export class CurrentTracerProvider implements TracerProvider {
  readonly [AGATE_PROVIDER] = true;
  readonly #current: () => Telemetry;

  constructor(current: () => Telemetry) {
    this.#current = current;
  }

  getTracer(name: string, version?: string, options?: TracerOptions): Tracer {
    return new CurrentTracer(() =>
      this.#current().tracerProvider.getTracer(name, version, options),
    );
  }

  /** As OpenTelemetry's own providers have it. */
  forceFlush(): Promise<void> {
    return this.#current().flush();
  }
}

class CurrentTracer implements Tracer {
  readonly #tracer: () => Tracer;

  constructor(tracer: () => Tracer) {
    this.#tracer = tracer;
  }

  startSpan(name: string, options?: SpanOptions, context?: Context): Span {
    return this.#tracer().startSpan(name, options, context);
  }

  startActiveSpan<F extends (span: Span) => unknown>(
    name: string,
    ...rest: ActiveSpanArguments<F>
  ): ReturnType<F> {
    // One of its overloads, whichever it is.
    return this.#tracer().startActiveSpan(name, ...(rest as [F]));
  }
}
