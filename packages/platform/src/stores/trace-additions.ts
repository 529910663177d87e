import { groupedByContent } from "./logged-content.ts";
import type { ScoreRow } from "./score-store.ts";
import { TraceScores } from "./score-store.ts";
import type { SpanAdditions } from "./span-additions.ts";

/** A row beside a trace that is read as a tree. */
export interface TraceRow extends ScoreRow {
  /** Of logged content, whose record is read later: its length in bytes. Null: a score. */
  readonly content_bytes: number | null;
}

/** Reads the logged content of some spans, in the order in which it is shown. */
export type ReadContent = (
  spanIds: readonly string[],
) => readonly ScoreRow[] | Promise<readonly ScoreRow[]>;

/**
 * What is stored beside the spans of a trace. Its scores are in memory; logged content, of which a trace may have
 * a hundred megabytes, is read for some spans at a time.
 */
export class TraceAdditions {
  readonly #scores: TraceScores;
  readonly #contentBytes = new Map<string, number>();
  readonly #readContent: ReadContent;

  /** @param rows In the order in which they are shown. */
  constructor(rows: readonly TraceRow[], readContent: ReadContent) {
    this.#scores = new TraceScores(rows.filter((row) => row.content_bytes === null));
    this.#readContent = readContent;
    for (const { span_id, content_bytes } of rows) {
      if (content_bytes === null) continue;
      this.#contentBytes.set(span_id, (this.#contentBytes.get(span_id) ?? 0) + content_bytes);
    }
  }

  /** The first of some spans, whose logged content has room in memory together. */
  fitting<Span>(spans: readonly Span[], idOf: (span: Span) => string): readonly Span[] {
    if (this.#contentBytes.size === 0) return spans;
    const [first = []] = groupedByContent(spans, (span) => this.#contentBytes.get(idOf(span)) ?? 0);
    return first;
  }

  /** What the records of these spans are read with. */
  async of(spanIds: readonly string[]): Promise<(spanId: string, isTop: boolean) => SpanAdditions> {
    const logged = spanIds.filter((id) => this.#contentBytes.has(id));
    const rows = logged.length === 0 ? [] : await this.#readContent(logged);
    const bySpan = Map.groupBy(rows, ({ span_id }) => span_id);
    return (spanId, isTop) =>
      this.#scores.of(
        spanId,
        isTop,
        bySpan.get(spanId)?.map(({ record }) => record),
      );
  }
}
