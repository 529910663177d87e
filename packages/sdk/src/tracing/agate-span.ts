import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type {
  Attributes,
  AttributeValue,
  Exception,
  HrTime,
  Link,
  Span,
  SpanContext,
  SpanStatus,
  TimeInput,
} from "@opentelemetry/api";
import { type Cleaning, cleaningFor, UNCHANGED } from "./cleaning.ts";
import type { EndedSpan } from "./ended-span.ts";
import type { Faults } from "./faults.ts";
import type { SpanRedaction } from "./redaction/span-redaction.ts";
import type { Secrets } from "./secrets.ts";
import type { RecordedSpan } from "./span-recorder.ts";

const NOTHING: Attributes = Object.freeze({});

/** How {@link agateSpanOf} finds Agate's own part of a span that has a twin. */
export const AGATE_PART = Symbol("agate part");

/** The telemetry that a span belongs to, as its spans see it. */
export interface SpanOwner {
  readonly faults: Faults;
  readonly secrets: Secrets;
  /** What its settings leave out of every span; undefined where that is nothing. */
  readonly redaction: SpanRedaction | undefined;
  /** The spans of other libraries that it will be given. */
  readonly foreign: WeakSet<object>;
  /** Is given each span once, when it has ended: its own, and other libraries' inside them. */
  take(ended: EndedSpan): void;
  /** Is told that other libraries' spans are looked at. */
  processorSeen(): void;
  flush(): Promise<void>;
}

export interface SpanParts {
  /** What is sent to Agate. */
  readonly record: RecordedSpan;
  /** The same span in the process's own OpenTelemetry set-up. */
  readonly twin: Span | undefined;
  /** The innermost span of Agate's around it. */
  readonly around: AgateSpan | undefined;
  readonly clock: TraceClock;
}

/**
 * One span of Agate's. What is done to it is done to its record and to its twin, and nothing that
 * goes wrong in there reaches the code that does it.
 */
export class AgateSpan implements Span, Disposable {
  readonly owner: SpanOwner;
  /** The id of the outermost span of Agate's around it, or its own: of the call. */
  readonly call: string;
  /** Of the call. */
  readonly clock: TraceClock;
  readonly #record: RecordedSpan;
  readonly #twin: Span | undefined;
  #leave: (() => void) | undefined;

  constructor(owner: SpanOwner, { record, twin, around, clock }: SpanParts) {
    this.owner = owner;
    this.clock = clock;
    this.#record = record;
    this.#twin = twin;
    const { traceId, spanId } = record.spanContext();
    const inSameCall = around?.owner === owner && around.spanContext().traceId === traceId;
    this.call = inSameCall ? around.call : spanId;
  }

  get [AGATE_PART](): AgateSpan {
    return this;
  }

  get record(): Pick<RecordedSpan, "name" | "attributes"> {
    return this.#record;
  }

  spanContext(): SpanContext {
    return (this.#twin ?? this.#record).spanContext();
  }

  isRecording(): boolean {
    return this.#record.isRecording();
  }

  setAttribute(key: string, value: AttributeValue): this {
    if (this.#twin !== undefined) {
      return this.#change((span, clean) => {
        const kept = clean.attribute(key, value);
        if (kept !== undefined) span.setAttribute(key, kept);
      });
    }
    // Without a function for the change, as every call of a route makes some.
    try {
      this.#record.setAttribute(key, value);
    } catch (error) {
      this.owner.faults.add(error);
    }
    return this;
  }

  setAttributes(attributes: Attributes): this {
    return this.#change((span, clean) => span.setAttributes(clean.attributes(attributes)));
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    const { clock } = this;
    return this.#change((span, clean) => {
      if (clean.hidesEvent(name)) return;
      if (isTime(attributesOrTime)) span.addEvent(clean.text(name), attributesOrTime);
      else {
        const attributes = attributesOrTime && clean.attributes(attributesOrTime);
        span.addEvent(clean.text(name), attributes, time ?? clock.now());
      }
    });
  }

  addLink(link: Link): this {
    return this.#change((span, clean) => span.addLink(clean.link(link)));
  }

  addLinks(links: Link[]): this {
    return this.#change((span, clean) => span.addLinks(links.map(clean.link)));
  }

  setStatus(status: SpanStatus): this {
    if (this.#twin !== undefined) {
      return this.#change((span, clean) => span.setStatus(clean.status(status)));
    }
    try {
      this.#record.setStatus(status);
    } catch (error) {
      this.owner.faults.add(error);
    }
    return this;
  }

  updateName(name: string): this {
    return this.#change((span, clean) => span.updateName(clean.text(name)));
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const at = time ?? this.clock.now();
    this.#change((span, clean) => span.recordException(clean.exception(exception), at));
  }

  end(time?: TimeInput): void {
    if (!this.isRecording()) return;
    if (this.#twin === undefined) this.#endRecord(time);
    else {
      this.#change((span) =>
        span.end(time ?? (span === this.#record ? this.clock.now() : undefined)),
      );
    }
    try {
      this.owner.take({ span: this.#record, added: NOTHING, call: this.call });
    } catch (error) {
      this.owner.faults.add(error);
    }
  }

  #endRecord(time: TimeInput | undefined): void {
    try {
      this.#record.end(time ?? this.clock.now());
    } catch (error) {
      this.owner.faults.add(error);
    }
  }

  /** What is to be done before the end, when the span is disposed of. */
  leaveWith(leave: () => void): void {
    this.#leave = leave;
  }

  [Symbol.dispose](): void {
    this.#leave?.();
    this.end();
  }

  #change(change: (span: Span, clean: Cleaning) => void): this {
    const { faults } = this.owner;
    // OpenTelemetry reports changes after the end as errors of the program; they are harmless.
    if (!this.#record.isRecording()) return this;
    try {
      // Redacted only when it is sent: a secret may become known later.
      change(this.#record, UNCHANGED);
    } catch (error) {
      faults.add(error);
    }
    const twin = this.#twin;
    if (twin === undefined) return this;
    try {
      const mark = () => twin.setAttribute(AGATE_ATTRIBUTES.redacted, true);
      change(twin, cleaningFor(this.owner, this.#record.name, mark));
    } catch (error) {
      faults.add(error);
    }
    return this;
  }
}

/** Agate's own part of a span; undefined if it is not a span of Agate's. */
export function agateSpanOf(span: Span | undefined): AgateSpan | undefined {
  return (span as { [AGATE_PART]?: AgateSpan } | undefined)?.[AGATE_PART];
}

function isTime(value: Attributes | TimeInput | undefined): value is TimeInput {
  return typeof value === "number" || Array.isArray(value) || value instanceof Date;
}

/**
 * The clock of one call. OpenTelemetry's own starts spans at whole milliseconds, in which several
 * steps of a call fit: their order would be lost. One clock serves a whole call, so that what it
 * measures never runs backwards when the machine's clock is set.
 */
export class TraceClock {
  readonly #epoch = Date.now();
  readonly #monotonic = performance.now();
  /** When the clock was started. */
  readonly start: HrTime = this.now();

  now(): HrTime {
    const milliseconds = this.#epoch + (performance.now() - this.#monotonic);
    const seconds = Math.floor(milliseconds / 1_000);
    return [seconds, Math.round((milliseconds - seconds * 1_000) * 1_000) * 1_000];
  }
}
