import type { EndedSpan } from "./ended-span.ts";
import type { RecordWriter } from "./record-writer.ts";
import type { SpanReader } from "./span-reader.ts";
import type { TraceCollection } from "./telemetry.ts";

/** A larger trace is not for looking at beside its answer. */
const MOST_SPANS = 10_000;

/** The spans that one collection has got so far. */
class CollectedSpans {
  /** By id: a set-up may hand a span over twice. */
  readonly #spans = new Map<string, EndedSpan>();
  /** The call's own span ends last; it must be there however many came before. */
  #last: EndedSpan | undefined;
  leftOut = 0;

  add(ended: EndedSpan): void {
    const { spanId } = ended.span.spanContext();
    if (this.#spans.size < MOST_SPANS || this.#spans.has(spanId)) this.#spans.set(spanId, ended);
    else {
      this.leftOut += 1;
      this.#last = ended;
    }
  }

  /** All that were kept, the one that came last included. */
  kept(): EndedSpan[] {
    const spans = [...this.#spans.values()];
    if (this.#last !== undefined) spans[spans.length - 1] = this.#last;
    return spans;
  }
}

/** Passes ended spans to the collections of their trace. */
export class TraceCollections {
  readonly #reader: SpanReader;
  readonly #byTrace = new Map<string, Set<CollectedSpans>>();
  #writer: RecordWriter | undefined;

  constructor(reader: SpanReader) {
    this.#reader = reader;
  }

  add(ended: EndedSpan): void {
    if (this.#byTrace.size === 0) return;
    const collecting = this.#byTrace.get(ended.span.spanContext().traceId);
    if (collecting !== undefined) for (const spans of collecting) spans.add(ended);
  }

  collect(traceId: string, call: string | undefined): TraceCollection {
    const spans = new CollectedSpans();
    const collecting = this.#byTrace.get(traceId) ?? new Set();
    collecting.add(spans);
    this.#byTrace.set(traceId, collecting);
    const drop = (): void => {
      collecting.delete(spans);
      if (collecting.size === 0 && this.#byTrace.get(traceId) === collecting) {
        this.#byTrace.delete(traceId);
      }
    };
    return {
      drop,
      take: async () => {
        drop();
        // The writer is kept, not its promise: on Cloudflare Workers that belongs to one request.
        const writer = this.#writer ?? (await loadWriter());
        this.#writer = writer;
        const kept = spans.kept();
        const own = call === undefined ? kept : spansOfCall(kept, call);
        return writer.write(
          own.map((ended) => this.#reader.read(ended)),
          spans.leftOut,
        );
      },
    };
  }
}

// Dialects and prices are large, and a process that only serves deployed calls needs neither.
async function loadWriter(): Promise<RecordWriter> {
  const { RecordWriter } = await import("./record-writer.ts");
  return new RecordWriter();
}

/**
 * The spans of one call and of the calls made inside it. A trace may have other calls, made at the
 * same time with the same `traceparent`: theirs are left out.
 *
 * @param call The id of the call's own span.
 */
function spansOfCall(spans: readonly EndedSpan[], call: string): EndedSpan[] {
  const byId = new Map(spans.map((ended) => [ended.span.spanContext().spanId, ended]));
  const inside = new Map<string, boolean>([[call, true]]);

  const isInside = (start: string): boolean => {
    const passed: string[] = [];
    let current: string | undefined = start;
    while (current !== undefined && !inside.has(current) && !passed.includes(current)) {
      passed.push(current);
      current = callAround(byId, current, call);
    }
    const verdict = current !== undefined && inside.get(current) === true;
    for (const each of passed) inside.set(each, verdict);
    return verdict;
  };
  return spans.filter((ended) => ended.call !== undefined && isInside(ended.call));
}

/** The call that another call was made in; undefined when that is not known. */
function callAround(
  byId: ReadonlyMap<string, EndedSpan>,
  inner: string,
  outermost: string,
): string | undefined {
  const parent = parentIdOf(byId.get(inner));
  if (parent === undefined) return undefined;
  return parent === outermost ? outermost : byId.get(parent)?.call;
}

function parentIdOf(ended: EndedSpan | undefined): string | undefined {
  return ended?.span.parentSpanContext?.spanId ?? ended?.span.parentSpanId;
}
