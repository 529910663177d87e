import type { AttributeValue, OtlpSpan } from "@agate/spans";
import type { DecodeLimits, DecodeOutcome } from "./decode-outcome.ts";
import { Oversized } from "./decode-outcome.ts";

/** Counts the spans, log records or data points of one request that cannot be kept, by reason. */
export class Rejections {
  readonly #noun: string;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(noun: "span" | "log record" | "data point") {
    this.#noun = noun;
  }

  /** `reason` is one of the decoder's own fixed phrases: it must never carry client input. */
  add(reason: string, count = 1): void {
    this.#total += count;
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count);
  }

  get total(): number {
    return this.#total;
  }

  /** `2 spans rejected: trace_id must be …`; with counts when there are several reasons. */
  get sentence(): string {
    if (this.#total === 0) return "";
    const reasons = [...this.#counts].map(([reason, count]) =>
      this.#counts.size === 1 ? reason : `${reason} (${count})`,
    );
    return `${this.#total} ${this.#noun}${this.#total === 1 ? "" : "s"} rejected: ${reasons.join("; ")}`;
  }
}

/** Collects the spans of one request, within its limits. */
export class DecodedSpans {
  readonly #limits: DecodeLimits;
  readonly #faults: IdFaults;
  readonly #spans: OtlpSpan[] = [];
  readonly #rejected = new Rejections("span");
  #repeatedBytes = 0;

  /** @param faults What is said of rejected spans: the encodings spell their fields differently. */
  constructor(limits: DecodeLimits, faults: IdFaults) {
    this.#limits = limits;
    this.#faults = faults;
  }

  /** Kept and rejected. */
  get count(): number {
    return this.#spans.length + this.#rejected.total;
  }

  add(span: OtlpSpan | keyof IdFaults): void {
    if (typeof span === "string") this.#rejected.add(this.#faults[span]);
    else this.#spans.push(span);
    const { spans: limit } = this.#limits;
    if (this.count <= limit) return;
    const reason = `The request has more than ${limit} spans; none was kept. Lower the exporter's batch size.`;
    throw new Oversized({ kind: "too-many-spans", reason });
  }

  /** Counts the bytes of a resource or a scope for all spans that came since `before`. */
  repeat(bytes: number, before: number): void {
    this.#repeatedBytes += bytes * (this.count - before);
    const { repeatedBytes: limit } = this.#limits;
    if (this.#repeatedBytes <= limit) return;
    const reason = `Each span repeats its resource and scope: that makes more than ${limit} bytes. Send fewer spans in a request, or shorter resource attributes.`;
    throw new Oversized({ kind: "too-complex", reason });
  }

  outcome(): DecodeOutcome {
    return {
      kind: "decoded",
      request: {
        spans: this.#spans,
        rejected: this.#rejected.total,
        rejectedReason: this.#rejected.sentence,
      },
    };
  }
}

const NO_TRACE_ID = "0".repeat(32);
const NO_SPAN_ID = "0".repeat(16);

/** Why a span cannot be kept for its ids, in the words of one encoding. */
export interface IdFaults {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

/** Stands for an id that came as text other than hex digits. It is a fault in every place. */
export const NOT_HEX = "not hex";

/**
 * Judges a span's ids, which come as lower-case hex of any length or as `NOT_HEX`.
 * A parent id of the wrong size is a fault: guessing at it would build a wrong tree.
 */
export function findIdFault(
  traceId: string,
  spanId: string,
  parentSpanId: string,
): keyof IdFaults | null {
  if (traceId.length !== NO_TRACE_ID.length || traceId === NO_TRACE_ID) return "traceId";
  if (spanId.length !== NO_SPAN_ID.length || spanId === NO_SPAN_ID) return "spanId";
  if (parentSpanId.length === NO_SPAN_ID.length) return null;
  return /[^0]/.test(parentSpanId) ? "parentSpanId" : null;
}

/** The parent among ids without a fault: empty or all zero means that there is none. */
export function parentOf(parentSpanId: string): string | null {
  return parentSpanId.length !== NO_SPAN_ID.length || parentSpanId === NO_SPAN_ID
    ? null
    : parentSpanId;
}

/**
 * A resource while its request is read. The spans that came before its attributes or its schema
 * URL hold the same object, so it is filled in place.
 */
export interface ResourceInProgress {
  readonly attributes: Map<string, AttributeValue>;
  schemaUrl: string;
  droppedAttributesCount: number;
}

/** A scope while its request is read, likewise. */
export interface ScopeInProgress extends ResourceInProgress {
  name: string;
  version: string;
}

export function startResource(): ResourceInProgress {
  return { attributes: new Map(), schemaUrl: "", droppedAttributesCount: 0 };
}

export function startScope(): ScopeInProgress {
  return {
    name: "",
    version: "",
    attributes: new Map(),
    schemaUrl: "",
    droppedAttributesCount: 0,
  };
}
