import { type IdGenerator, RandomIdGenerator } from "@opentelemetry/sdk-trace";

interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Random ids, unless the span that is being started is handed those of its twin. */
export class HandedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #handed: SpanIds | undefined;

  /** Runs the start of one span with given ids. */
  handing<R>(ids: SpanIds | undefined, start: () => R): R {
    this.#handed = ids;
    try {
      return start();
    } finally {
      this.#handed = undefined;
    }
  }

  generateTraceId(): string {
    return this.#handed?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#handed?.spanId ?? this.#random.generateSpanId();
  }
}
