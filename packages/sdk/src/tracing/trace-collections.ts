import type { EndedSpan } from "./ended-span.ts";
import type { RecordWriter } from "./record-writer.ts";
import type { Secrets } from "./secrets.ts";
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
  readonly #secrets: Secrets;
  readonly #byTrace = new Map<string, Set<CollectedSpans>>();
  #writer: RecordWriter | undefined;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
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
        const writer = this.#writer ?? (await loadWriter(this.#secrets));
        this.#writer = writer;
        return writer.write(spans.kept(), call, spans.leftOut);
      },
    };
  }
}

// Dialects and prices are large, and a process that only serves deployed calls needs neither.
async function loadWriter(secrets: Secrets): Promise<RecordWriter> {
  const { RecordWriter } = await import("./record-writer.ts");
  return new RecordWriter(secrets);
}
