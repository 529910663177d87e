import type { StoredSpan } from "@agate/spans";
import { GrowingBytes } from "../growing-bytes.ts";
import { writeRecordWords } from "../search/record-words.ts";
import type { NativeColumn } from "./native-block.ts";
import type { SpanFacts, SpanWrite } from "./span-row.ts";
import { figuresText } from "./span-row.ts";

/** A span that is to be written. */
export interface IncomingSpan extends SpanWrite {
  readonly project: string;
  /** The words of its record; empty where its text cannot be indexed. */
  readonly words: Buffer;
  /** The open record. */
  readonly record: Buffer;
}

export const INCOMING_COLUMNS: readonly NativeColumn<IncomingSpan>[] = [
  { name: "project", type: "String", value: (row) => row.project },
  { name: "trace_id", type: "String", value: (row) => row.span.traceId },
  { name: "span_id", type: "String", value: (row) => row.span.id },
  { name: "version", type: "UInt64", value: (row) => row.version },
  { name: "received", type: "Int64", value: (row) => row.receivedAt },
  { name: "parent_id", type: "Nullable(String)", value: (row) => row.span.parentId },
  { name: "start", type: "Int64", value: (row) => row.span.start },
  { name: "start_nanos", type: "UInt16", value: (row) => row.span.startNanos },
  { name: "figures", type: "String", value: (row) => figuresText(row.span.figures) },
  { name: "latency", type: "Nullable(Float64)", value: (row) => row.span.latency },
  { name: "name", type: "String", value: (row) => row.span.name },
  { name: "spankind", type: "String", value: (row) => row.span.kind },
  { name: "status", type: "String", value: (row) => row.span.status },
  { name: "application", type: "Nullable(String)", value: (row) => row.span.application },
  { name: "route", type: "Nullable(String)", value: (row) => row.span.route },
  { name: "variant", type: "Nullable(String)", value: (row) => row.span.variant },
  { name: "revision", type: "Nullable(Int64)", value: (row) => row.span.revision },
  { name: "environment", type: "Nullable(String)", value: (row) => row.span.environment },
  { name: "user_id", type: "Nullable(String)", value: (row) => row.span.userId },
  { name: "session_id", type: "Nullable(String)", value: (row) => row.span.sessionId },
  { name: "run", type: "Nullable(String)", value: (row) => row.span.run },
  { name: "cost", type: "Nullable(Float64)", value: (row) => row.span.figures?.cost ?? null },
  { name: "words", type: "String", value: (row) => row.words },
  { name: "record", type: "String", value: (row) => row.record },
];

type OnUnindexable = (span: StoredSpan, error: unknown) => void;

/**
 * Turns records and their words into bytes. Spans wait for the insert before theirs: as texts on the heap their
 * records would be copied by the garbage collector meanwhile.
 */
export class SpanEncoder {
  readonly #words = new GrowingBytes();
  readonly #records = new GrowingBytes();

  /** @param onUnindexable Told of a span whose text cannot be indexed: it is stored without its words. */
  encode(
    project: string,
    writes: readonly SpanWrite<StoredSpan>[],
    onUnindexable: OnUnindexable,
  ): IncomingSpan[] {
    // After an error there may be something left.
    this.#words.clear();
    this.#records.clear();
    const wordsEnds: number[] = [];
    const recordEnds: number[] = [];
    for (const { span } of writes) {
      const from = this.#records.length;
      this.#records.write(span.openRecord);
      try {
        writeRecordWords(this.#records.bytes.subarray(from, this.#records.length), this.#words);
      } catch (error) {
        onUnindexable(span, error);
      }
      wordsEnds.push(this.#words.length);
      recordEnds.push(this.#records.length);
    }
    const words = this.#words.take();
    const records = this.#records.take();
    return writes.map(({ version, receivedAt, span }, n) => ({
      project,
      version,
      receivedAt,
      span: withoutRecord(span),
      words: words.subarray(wordsEnds[n - 1], wordsEnds[n]),
      record: records.subarray(recordEnds[n - 1], recordEnds[n]),
    }));
  }
}

function withoutRecord({ openRecord: _, ...facts }: StoredSpan): SpanFacts {
  return facts;
}
