import type { SentSpan } from "../sent-span.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Spans of one request. It is one transaction: all of it happens, or nothing. */
export interface Batch {
  readonly kind: "batch";
  readonly spans: readonly SentSpan[];
}

/** What one request changes. */
export type Change = Batch | { readonly kind: "delete"; readonly traceId: string };

/** Span id → the span as it was last sent; no spans: there is no such trace. */
export type TraceState = ReadonlyMap<string, SentSpan>;

/**
 * How many spans one request adds to a trace, and how long their text is. All but the first are
 * around a limit of the stores: a segment of 128 KiB, summaries of more than 2,000 spans.
 */
const SHAPES = {
  small: { least: 1, most: 12, words: [0, 40] },
  long: { least: 100, most: 300, words: [200, 200] },
  bare: { least: 120, most: 220, words: [0, 0] },
  single: { least: 1, most: 1, words: [20_000, 40_000] },
  large: { least: 2_001, most: 2_100, words: [0, 0] },
} as const;
type Shape = keyof typeof SHAPES;

const NOTHING: TraceState = new Map();
/** A word that is in every span, to count by full-text search. */
export const COMMON_WORD = "everyspan";

/** The one word by which a span can be found. */
export function wordOf(spanId: string): string {
  return `w${spanId}`;
}

/**
 * What one client has sent, one request after the other, to traces that no other client touches, and
 * what it was told. At most one request, the last, has an unknown outcome.
 */
export class TraceLedger {
  readonly #random: SeededRandom;
  readonly #traces = new Map<string, TraceState>();
  readonly #deleted = new Set<string>();
  #sent = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Every trace that must be there, with every span it must have. */
  get traces(): ReadonlyMap<string, TraceState> {
    return this.#traces;
  }

  /** Traces that must not be there any more. */
  get deleted(): ReadonlySet<string> {
    return this.#deleted;
  }

  /** The last span of the last of these traces that is here. */
  lastSpanOf(traceIds: readonly string[]): string | undefined {
    const traceId = traceIds.findLast((id) => this.#traces.has(id)) ?? "";
    return [...(this.#traces.get(traceId) ?? NOTHING).keys()].at(-1);
  }

  /** The traces that a change touches, as they are once it has happened. */
  after(change: Change): Map<string, TraceState> {
    if (change.kind === "delete") return new Map([[change.traceId, NOTHING]]);
    const touched = new Map<string, Map<string, SentSpan>>();
    for (const span of change.spans) {
      let spans = touched.get(span.traceId);
      if (spans === undefined) {
        spans = new Map(this.#traces.get(span.traceId));
        touched.set(span.traceId, spans);
      }
      spans.set(span.spanId, span);
    }
    return touched;
  }

  /** The same traces as they are now. */
  before(change: Change): Map<string, TraceState> {
    const now = (traceId: string) => [traceId, this.#traces.get(traceId) ?? NOTHING] as const;
    return new Map([...this.after(change).keys()].map(now));
  }

  /** The change has happened. */
  apply(change: Change): void {
    for (const [traceId, spans] of this.after(change)) {
      if (spans.size > 0) this.#traces.set(traceId, spans);
      else if (this.#traces.delete(traceId)) this.#deleted.add(traceId);
    }
  }

  /** A batch of new traces of one span each. */
  smallTraces(count: number): Batch {
    const spans = Array.from({ length: count }, () =>
      this.#nextSpan(this.#random.hex(32), [], "small"),
    );
    return { kind: "batch", spans };
  }

  /** A batch of new traces with so many spans each, of some text. */
  fullTraces(count: number, spansEach: number): Batch {
    const spans: SentSpan[] = [];
    for (let n = 0; n < count; n++) {
      const traceId = this.#random.hex(32);
      for (let s = 0; s < spansEach; s++) spans.push(this.#nextSpan(traceId, spans, "long"));
    }
    return { kind: "batch", spans };
  }

  /** Most spans of a trace once more, with other names: what was stored of them is superseded. */
  mostOfAgain(traceId: string): Batch {
    const known = [...(this.#traces.get(traceId) ?? NOTHING).values()];
    const again = known.filter((_, index) => index === 0 || this.#random.chance(0.9));
    const spans = again.map((span) => ({ ...span, name: `again ${this.#sent++}` }));
    return { kind: "batch", spans };
  }

  /** A request that fits what is there. */
  nextChange(deletes: number): Change {
    const random = this.#random;
    const known = [...this.#traces.keys()];
    if (known.length > 0 && random.chance(deletes)) {
      return { kind: "delete", traceId: random.pick(known) };
    }
    const spans: SentSpan[] = [];
    for (let n = random.between(1, 4); n > 0; n--) {
      const grows = known.length > 0 && random.chance(0.4);
      const traceId = grows ? random.pick(known) : random.hex(32);
      const shape = this.#nextShape();
      const { least, most } = SHAPES[shape];
      const count = random.between(least, most);
      for (let s = 0; s < count; s++) spans.push(this.#nextSpan(traceId, spans, shape));
    }
    return { kind: "batch", spans };
  }

  #nextShape(): Shape {
    if (this.#random.chance(0.001)) return "large";
    return this.#random.chance(0.1)
      ? this.#random.pick(["long", "bare", "bare", "bare", "single"])
      : "small";
  }

  #nextSpan(traceId: string, batch: readonly SentSpan[], shape: Shape): SentSpan {
    const random = this.#random;
    const others = [
      ...(this.#traces.get(traceId) ?? NOTHING).values(),
      ...batch.filter((span) => span.traceId === traceId),
    ];
    const n = this.#sent++;
    const name = `step ${n}`;
    // An exporter's retry, or a span that is sent again when it has ended: the last write wins.
    const again = others.length > 0 && random.chance(0.1) ? random.pick(others) : undefined;
    const spanId = again?.spanId ?? random.hex(16);
    const [least, most] = SHAPES[shape].words;
    const inputs = `${COMMON_WORD} ${wordOf(spanId)} ${"text ".repeat(random.between(least, most))}`;
    const told = {
      name,
      inputs,
      ...(random.chance(0.2) && { payload: "é".repeat(random.between(0, 50)) }),
    };
    if (again !== undefined) return { ...again, ...told };
    const parentSpanId = others.length === 0 ? null : random.pick(others).spanId;
    return { traceId, spanId, parentSpanId, start: 1_700_000_000_000_000 + n, ...told };
  }
}
