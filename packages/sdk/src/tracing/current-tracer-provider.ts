import type {
  Context,
  Span,
  SpanOptions,
  Tracer,
  TracerOptions,
  TracerProvider,
} from "@opentelemetry/api";
import type { ActiveSpanArguments } from "./agate-tracer.ts";
import { AGATE_PROVIDER } from "./existing-setup.ts";
import type { Telemetry } from "./telemetry.ts";

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
