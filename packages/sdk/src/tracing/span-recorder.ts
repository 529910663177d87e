import {
  type Attributes,
  type AttributeValue,
  type Context,
  diag,
  type Exception,
  type HrTime,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type TimeInput,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import {
  hrTime,
  hrTimeDuration,
  isTimeInput,
  isTimeInputHrTime,
  isTracingSuppressed,
  millisToHrTime,
} from "@opentelemetry/core";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { addAttribute, copyAttributes, copySimpleValue } from "./span-attributes.ts";
import type { TelemetryResource } from "./telemetry-resource.ts";

type Scope = ReadableSpan["instrumentationScope"];
type SpanEvent = ReadableSpan["events"][number];

/** Spans may carry whole conversations, one attribute a message: OpenTelemetry's 128 cuts them. */
const ATTRIBUTE_LIMIT = 4_096;
const EVENT_LIMIT = 1_024;
const LINK_LIMIT = 1_024;
/** Of one event or link, as in OpenTelemetry's SDK. */
const NESTED_LIMIT = 128;

// Shared by the spans that never change them: what a span holds until it is sent is collected with it.
const NOT_ENDED: HrTime = [0, 0];
const UNSET: SpanStatus = Object.freeze({ code: SpanStatusCode.UNSET });
const OK: SpanStatus = Object.freeze({ code: SpanStatusCode.OK });
const NO_EVENTS = Object.freeze<SpanEvent[]>([]) as SpanEvent[];
const NO_LINKS = Object.freeze<Link[]>([]) as Link[];

/** The ids of a span that exists already in the process's own OpenTelemetry set-up. */
type SpanIds = Pick<SpanContext, "traceId" | "spanId">;

/**
 * Starts spans that are recorded and nothing else, by the rules of OpenTelemetry's SDK. Its tracer provider
 * has samplers, processors and metrics besides, which Agate does not use and every worker would load. Every
 * span is recorded, sampled or not; the flag that is propagated stays the parent's.
 */
export class SpanRecorder {
  readonly #resource: TelemetryResource;

  constructor(resource: TelemetryResource) {
    this.#resource = resource;
  }

  /**
   * A span that does not record where tracing is suppressed in the context.
   *
   * @param own Attributes that are good as they are, handed over; the given ones win.
   */
  start(
    scope: Scope,
    name: string,
    options: SpanOptions & { readonly startTime: TimeInput },
    context: Context,
    ids: SpanIds | undefined,
    own?: Attributes,
  ): RecordedSpan | Span {
    if (isTracingSuppressed(context)) return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    const above = trace.getSpanContext(context);
    const parent = above !== undefined && isSpanContextValid(above) ? above : undefined;
    const spanContext: SpanContext = {
      traceId: parent?.traceId ?? ids?.traceId ?? randomId(16),
      spanId: ids?.spanId ?? randomId(8),
      traceFlags: (parent?.traceFlags ?? TraceFlags.SAMPLED) & TraceFlags.SAMPLED,
    };
    if (parent?.traceState !== undefined) spanContext.traceState = parent.traceState;
    return new RecordedSpan(name, options, spanContext, parent, scope, this.#resource, own);
  }
}

/** A span while it is recorded and, when it has ended, the record. */
export class RecordedSpan implements Span, Omit<ReadableSpan, "resource" | "duration"> {
  name: string;
  readonly kind: SpanKind;
  readonly parentSpanContext?: SpanContext;
  readonly startTime: HrTime;
  endTime: HrTime = NOT_ENDED;
  ended = false;
  status: SpanStatus = UNSET;
  readonly attributes: Attributes;
  events: SpanEvent[] = NO_EVENTS;
  links: Link[] = NO_LINKS;
  readonly resource: TelemetryResource;
  readonly instrumentationScope: Scope;
  droppedAttributesCount = 0;
  droppedEventsCount = 0;
  droppedLinksCount = 0;
  readonly #spanContext: SpanContext;
  /** From the runtime's clock to the system's, which drift apart. Only a time given as a number needs it. */
  #performanceOffset: number | undefined;
  #attributesCount = 0;

  constructor(
    name: string,
    { kind, startTime, attributes, links }: SpanOptions,
    spanContext: SpanContext,
    parent: SpanContext | undefined,
    scope: Scope,
    resource: TelemetryResource,
    own: Attributes = {},
  ) {
    this.name = name;
    this.kind = kind ?? SpanKind.INTERNAL;
    if (parent !== undefined) this.parentSpanContext = parent;
    this.startTime = this.#time(startTime);
    this.resource = resource;
    this.instrumentationScope = scope;
    this.#spanContext = spanContext;
    this.attributes = own;
    if (attributes !== undefined) {
      const copy = copyAttributes(attributes, ATTRIBUTE_LIMIT);
      this.droppedAttributesCount = copy.droppedAttributesCount ?? 0;
      // Of those given: Agate's own do not count.
      this.#attributesCount = Object.keys(copy.attributes ?? {}).length;
      Object.assign(own, copy.attributes);
    }
    if (links) this.addLinks(links);
  }

  spanContext(): SpanContext {
    return this.#spanContext;
  }

  isRecording(): boolean {
    return !this.ended;
  }

  setAttribute(key: string, value: AttributeValue | undefined): this {
    if (this.ended) return this;
    const hasRoom = this.#attributesCount < ATTRIBUTE_LIMIT;
    const outcome = addAttribute(this.attributes, key, value, hasRoom);
    if (outcome === "added") this.#attributesCount += 1;
    if (outcome === "full") this.droppedAttributesCount += 1;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [key, value] of Object.entries(attributes ?? {})) this.setAttribute(key, value);
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, at?: TimeInput): this {
    if (this.ended) return this;
    const isAt = isTimeInput(attributesOrTime);
    const time = this.#time(isAt && !isTimeInput(at) ? attributesOrTime : at);
    const given = isAt ? undefined : attributesOrTime;
    const attributes = copyAttributes(given, NESTED_LIMIT, copySimpleValue);
    // The last ones tell how it ended.
    if (this.events === NO_EVENTS) this.events = [];
    if (this.events.length >= EVENT_LIMIT) {
      this.events.shift();
      this.droppedEventsCount += 1;
    }
    this.events.push({ name, time, ...attributes });
    return this;
  }

  addLink({ context, attributes }: Link): this {
    if (this.ended) return this;
    const link = { context, ...copyAttributes(attributes, NESTED_LIMIT) };
    if (this.links === NO_LINKS) this.links = [];
    if (this.links.length >= LINK_LIMIT) {
      this.links.shift();
      this.droppedLinksCount += 1;
    }
    this.links.push(link);
    return this;
  }

  addLinks(links: readonly Link[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  /** `OK` is final and `UNSET` changes nothing, as OpenTelemetry specifies. */
  setStatus({ code, message }: SpanStatus): this {
    if (this.ended || code === SpanStatusCode.UNSET || this.status.code === SpanStatusCode.OK) {
      return this;
    }
    const hasMessage = code === SpanStatusCode.ERROR && typeof message === "string";
    if (code === SpanStatusCode.OK) this.status = OK;
    else this.status = hasMessage ? { code, message } : { code };
    return this;
  }

  updateName(name: string): this {
    if (!this.ended) this.name = name;
    return this;
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const { code, name, message, stack }: ThrownParts =
      typeof exception === "string" ? { message: exception } : (exception ?? {});
    const type = code ? code.toString() : name;
    const attributes = {
      ...(type && { "exception.type": type }),
      ...(message && { "exception.message": message }),
      ...(stack && { "exception.stacktrace": stack }),
    };
    if (type || message) this.addEvent("exception", attributes, time);
    else diag.warn(`Failed to record an exception ${exception}`);
  }

  end(time?: TimeInput): void {
    if (this.ended) return;
    this.endTime = this.#time(time);
    // The system's clock was set back, or the caller gave the times in the wrong order.
    if (hrTimeDuration(this.startTime, this.endTime)[0] < 0) this.endTime = [...this.startTime];
    this.ended = true;
    const dropped = this.droppedAttributesCount + this.droppedEventsCount + this.droppedLinksCount;
    if (dropped > 0) {
      diag.warn(`${this.name}: ${dropped} attributes, events and links were dropped.`);
    }
  }

  /** A number that is not larger than `performance.now()` is a time of that clock. */
  #time(given: TimeInput | undefined): HrTime {
    if (isTimeInputHrTime(given)) return given;
    if (given instanceof Date) return millisToHrTime(given.getTime());
    if (typeof given !== "number") return millisToHrTime(Date.now());
    if (given > performance.now()) return millisToHrTime(given);
    this.#performanceOffset ??= Date.now() - (performance.now() + performance.timeOrigin);
    return hrTime(given + this.#performanceOffset);
  }
}

interface ThrownParts {
  readonly code?: string | number;
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const WORD_BYTES = 4;

/**
 * An id of random bytes in hex, never all zeros. `Math.random`, as OpenTelemetry's own generator: a span may be
 * started in the global scope of a worker, where `crypto` throws. That one draws for every byte, and this for every
 * four.
 */
export function randomId(bytes: 8 | 16): string {
  let id = "";
  let seen = 0;
  for (let count = 0; count < bytes; count += WORD_BYTES) {
    const word = (Math.random() * 2 ** 32) >>> 0;
    seen |= word;
    id += hexByte(word >>> 24) + hexByte(word >>> 16) + hexByte(word >>> 8) + hexByte(word);
  }
  return seen === 0 ? randomId(bytes) : id;
}

function hexByte(word: number): string {
  return HEX[word & 0xff] as string;
}
