import type { OtlpSpan } from "@agate/spans";
import type { DecodeLimits } from "./decode-limits.ts";
import type { DecodeOutcome, SpanPlace } from "./decode-outcome.ts";
import { RejectedSpans } from "./rejected-spans.ts";
import type { IdFaults } from "./span-ids.ts";
import { Oversized } from "./undecodable.ts";

/** Collects the spans of one request, within its limits. */
export class DecodedSpans {
  readonly #limits: DecodeLimits;
  readonly #faults: IdFaults;
  readonly #spans: OtlpSpan[] = [];
  readonly #places: SpanPlace[] = [];
  readonly #rejected = new RejectedSpans();
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

  add(span: OtlpSpan | keyof IdFaults, place?: SpanPlace): void {
    if (typeof span === "string") this.#rejected.add(this.#faults[span]);
    else {
      this.#spans.push(span);
      if (place !== undefined) this.#places.push(place);
    }
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
        ...(this.#places.length > 0 && { places: this.#places }),
      },
    };
  }
}
