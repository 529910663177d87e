import {
  type Context,
  isSpanContextValid,
  type Span,
  type SpanOptions,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import type { SpanOwner } from "./agate-span.ts";

/** What marks Agate's own providers, of other copies of this package too. */
export const AGATE_PROVIDER = Symbol.for("agate.tracer-provider");
/** Where the context that a twin is started in keeps its owner: our processors leave it alone. */
const TWIN_OWNER = Symbol("agate twin");

/** The OpenTelemetry API's stand-in for the provider that may be registered later. */
interface Delegating {
  getDelegate(): TracerProvider;
  getDelegateTracer(name: string, version?: string): Tracer | undefined;
}

/** Starts a span of ours in the process's own OpenTelemetry set-up too, while there is one. */
export class ExistingSetup {
  readonly #name: string;
  readonly #version: string | undefined;
  #provider: object | undefined;
  #tracer: Tracer | undefined;

  constructor(name: string, version: string | undefined) {
    this.#name = name;
    this.#version = version;
  }

  get isThere(): boolean {
    return this.#currentTracer() !== undefined;
  }

  /** Undefined where there is no set-up, or it gives no span of its own. */
  startTwin(
    name: string,
    options: SpanOptions,
    parent: Context,
    owner: SpanOwner,
  ): Span | undefined {
    const tracer = this.#currentTracer();
    if (tracer === undefined) return undefined;
    const twin = tracer.startSpan(name, options, parent.setValue(TWIN_OWNER, owner));
    const { spanId } = twin.spanContext();
    // A provider that does nothing hands back the parent, or a span without ids.
    const isOwn = isSpanContextValid(twin.spanContext()) && spanId !== parentIdIn(parent);
    return isOwn ? twin : undefined;
  }

  #currentTracer(): Tracer | undefined {
    const registered = trace.getTracerProvider();
    const provider = isDelegating(registered) ? registered.getDelegate() : registered;
    if (provider !== this.#provider) {
      this.#provider = provider;
      this.#tracer = AGATE_PROVIDER in provider ? undefined : this.#tracerOf(registered);
    }
    return this.#tracer;
  }

  #tracerOf(registered: TracerProvider): Tracer | undefined {
    return isDelegating(registered)
      ? registered.getDelegateTracer(this.#name, this.#version)
      : registered.getTracer(this.#name, this.#version);
  }
}

/** Whose twin is started in this context; undefined if it is no twin. */
export function twinOwnerIn(parent: Context): SpanOwner | undefined {
  return parent.getValue(TWIN_OWNER) as SpanOwner | undefined;
}

function isDelegating(provider: object): provider is Delegating {
  return "getDelegateTracer" in provider;
}

function parentIdIn(context: Context): string | undefined {
  return trace.getSpanContext(context)?.spanId;
}
