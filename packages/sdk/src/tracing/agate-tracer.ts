import { AGATE_ATTRIBUTES } from "@agate/protocol";
import {
  type Attributes,
  type Context,
  INVALID_SPAN_CONTEXT,
  type Span,
  type SpanOptions,
  type Tracer,
  type TracerOptions,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import { evaluationSlot, identitySlot } from "../context/call-state.ts";
import { activeContext, agateSpanIn, contextInside, runInContext } from "./active-context.ts";
import { AGATE_PART, AgateSpan, agateSpanOf, type SpanOwner, TraceClock } from "./agate-span.ts";
import { cleaningFor } from "./cleaning.ts";
import { AGATE_PROVIDER, ExistingSetup } from "./existing-setup.ts";
import { addEvaluation, addIdentity } from "./identity-attributes.ts";
import { RecordedSpan, type SpanRecorder } from "./span-recorder.ts";

/** What the tracers of one telemetry share. */
export interface TracerParts extends SpanOwner {
  /** Records the spans; knows nothing of the rest of the process. */
  readonly recorder: SpanRecorder;
  /** Is called before each span. */
  prepare(): void;
  /** Is told of each twin that has been started. */
  twinStarted(twin: Span): void;
}

/** A provider of tracers whose spans go to Agate. */
export class AgateTracerProvider implements TracerProvider {
  readonly [AGATE_PROVIDER] = true;
  readonly #parts: TracerParts;
  readonly #tracers = new Map<string, AgateTracer>();

  constructor(parts: TracerParts) {
    this.#parts = parts;
  }

  getTracer(name: string, version?: string, options?: TracerOptions): AgateTracer {
    const key = JSON.stringify([name, version, options?.schemaUrl]);
    let tracer = this.#tracers.get(key);
    if (tracer === undefined) {
      tracer = new AgateTracer(this.#parts, name, version, options);
      this.#tracers.set(key, tracer);
    }
    return tracer;
  }

  /** As OpenTelemetry's own providers have it. */
  forceFlush(): Promise<void> {
    return this.#parts.flush();
  }
}

/** What may follow the name in `startActiveSpan`. */
export type ActiveSpanArguments<F> =
  | [fn: F]
  | [options: SpanOptions, fn: F]
  | [options: SpanOptions, context: Context, fn: F];

/** Starts spans of Agate's, each with its twin. Never throws. */
export class AgateTracer implements Tracer {
  readonly #parts: TracerParts;
  readonly #scope: Parameters<SpanRecorder["start"]>[0];
  readonly #setup: ExistingSetup;

  constructor(parts: TracerParts, name: string, version?: string, options?: TracerOptions) {
    this.#parts = parts;
    this.#scope = {
      name,
      ...(version !== undefined && { version }),
      ...(options?.schemaUrl !== undefined && { schemaUrl: options.schemaUrl }),
    };
    this.#setup = new ExistingSetup(name, version);
  }

  startSpan(name: string, options: SpanOptions = {}, context?: Context): Span {
    return this.begin(name, options, {}, context);
  }

  /**
   * Starts a span. `own` are attributes that Agate itself has made, handed over: they are good as they
   * are, and OpenTelemetry would look at each of them twice. With a clock, the span began when that
   * was started: a call is known by its body, and that has to be read first.
   */
  begin(
    name: string,
    options: SpanOptions,
    own: Attributes,
    context?: Context,
    clock?: TraceClock,
  ): Span {
    try {
      this.#parts.prepare();
      const outer = context ?? activeContext();
      const parent = options.root ? trace.deleteSpan(outer) : outer;
      return this.#start(name, options, own, parent, clock);
    } catch (error) {
      this.#parts.faults.add(error);
      return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    }
  }

  startActiveSpan<F extends (span: Span) => unknown>(
    name: string,
    ...rest: ActiveSpanArguments<F>
  ): ReturnType<F> {
    const fn = rest.at(-1) as F;
    const options = rest.length > 1 ? (rest[0] as SpanOptions) : {};
    const context = rest.length > 2 ? (rest[1] as Context) : activeContext();
    const span = this.startSpan(name, options, context);
    const inside = contextInside(context, span);
    return runInContext(this.#parts.faults, inside, () => fn(span) as ReturnType<F>);
  }

  #start(
    name: string,
    given: SpanOptions,
    own: Attributes,
    parent: Context,
    begun?: TraceClock,
  ): Span {
    addIdentity(own, identitySlot.get());
    addEvaluation(own, evaluationSlot.get());
    const twin = this.#startTwin(name, given, own, parent);
    const around = agateSpanOf(agateSpanIn(parent));
    const clock = begun ?? around?.clock ?? new TraceClock();
    const started = { ...given, startTime: given.startTime ?? begun?.start ?? clock.now() };
    // Suppressed, where it does not record: OpenTelemetry's way to leave a piece of work untraced.
    const recorded = this.#parts.recorder.start(
      this.#scope,
      name,
      started,
      this.#parentFor(twin, parent, around),
      twin?.spanContext(),
      // What the caller has given wins: `ag.application` may be set by hand.
      own,
    );
    if (!(recorded instanceof RecordedSpan)) return twin ?? recorded;
    const span = new AgateSpan(this.#parts, { record: recorded, twin, around, clock });
    return twin === undefined ? span : joinTwin(span, twin);
  }

  #startTwin(name: string, given: SpanOptions, own: Attributes, parent: Context): Span | undefined {
    return this.#parts.faults.guard(() => {
      if (!this.#setup.isThere) return undefined;
      const mark: Attributes = {};
      const clean = cleaningFor(this.#parts, name, () => {
        mark[AGATE_ATTRIBUTES.redacted] = true;
      });
      const shownName = clean.text(name);
      const links = given.links?.map(clean.link);
      const attributes = { ...clean.attributes({ ...own, ...given.attributes }), ...mark };
      const options = { ...given, attributes, ...(links !== undefined && { links }) };
      const twin = this.#setup.startTwin(shownName, options, parent, this.#parts);
      if (twin !== undefined) this.#parts.twinStarted(twin);
      return twin;
    }, undefined);
  }

  /** Below which span the record hangs: the nearest one that Agate gets to know, too. */
  #parentFor(twin: Span | undefined, parent: Context, around: AgateSpan | undefined): Context {
    const above = trace.getSpan(parent);
    const traceId = above?.spanContext().traceId;
    // An existing set-up may start a new trace despite the parent; the record follows it.
    if (twin !== undefined && twin.spanContext().traceId !== traceId) {
      return trace.deleteSpan(parent);
    }
    if (above === undefined || around === undefined || this.#isKnown(above)) return parent;
    return around.spanContext().traceId === traceId ? trace.setSpan(parent, around) : parent;
  }

  #isKnown(span: Span): boolean {
    const isElsewhere = span.spanContext().isRemote === true;
    return isElsewhere || agateSpanOf(span) !== undefined || this.#parts.foreign.has(span);
  }
}

/** What a joined span does as Agate's; in everything else it is the twin. */
const AGATES: ReadonlySet<PropertyKey> = new Set<PropertyKey>([
  AGATE_PART,
  "isRecording",
  "setAttribute",
  "setAttributes",
  "addEvent",
  "addLink",
  "addLinks",
  "setStatus",
  "updateName",
  "recordException",
  "end",
  Symbol.dispose,
]);

/**
 * The one object that code sees of a span and its twin. Changes go to both. Everything else is the
 * twin's, so that the tools that made it find the fields that they hide on it.
 */
function joinTwin(own: AgateSpan, twin: Span): Span {
  const joined: Span = new Proxy(twin, {
    get(target, key) {
      if (!AGATES.has(key)) return memberOf(target, key);
      const member = memberOf(own, key);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const result: unknown = member(...args);
        // A chain of calls goes on with the same object.
        return result === own ? joined : result;
      };
    },
  });
  return joined;
}

// Called on what it belongs to: private fields are not found through a proxy.
function memberOf(source: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(source, key, source);
  return typeof value === "function" ? value.bind(source) : value;
}
