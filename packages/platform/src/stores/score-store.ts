import type { ScoreStatus } from "@agate/protocol";
import { LOGGED_CONTENT, MOST_CONTENT_BYTES } from "./logged-content.ts";
import { NO_ADDITIONS, SpanAdditions } from "./span-additions.ts";

/** A score as a store keeps it: what it is found by, and the finished record. */
export interface StoredScore {
  readonly id: string;
  readonly traceId: string;
  /** Null: the top span of the trace. */
  readonly spanId: string | null;
  readonly name: string;
  /** Null where the status is not `ok`, and where the judgement is only a label. */
  readonly value: number | null;
  readonly label: string | null;
  readonly status: ScoreStatus;
  /** Microseconds since 1970. */
  readonly createdAt: number;
  /** Microseconds since 1970; retention counts from here where the trace is missing. */
  readonly receivedAt: number;
  /** The `Score` of the protocol as JSON text. */
  readonly record: string;
}

/** Scores that are stored together; of two with the same id, the last one counts. */
export interface ScoreBatch {
  readonly project: string;
  readonly scores: readonly StoredScore[];
}

export type ScoreOutcome =
  | { readonly kind: "committed" }
  /** All but these, by their ids. */
  | { readonly kind: "partly-committed"; readonly rejected: RejectedScores }
  /** The client should send the scores again: nothing of them was stored, or that is unknown. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** Why there is no room for a score: its trace has as many, or its span as much logged content, as it may. */
export type RejectedScores = ReadonlyMap<string, "trace-full" | "span-full">;

/** A trace that has this many takes no new ones, so that reading it stays bounded. */
export const MOST_SCORES_PER_TRACE = 1_000;

/** What a store has of the traces that scores are written to. */
export interface KnownScores {
  /** How many a trace has, by its id. */
  readonly counts: ReadonlyMap<string, number>;
  /** The ids of those that are sent again. */
  readonly ids: ReadonlySet<string>;
  /** How much logged content their spans have, in bytes, by {@link spanKey}. */
  readonly contentBytes: ReadonlyMap<string, number>;
}

export function spanKey(traceId: string, spanId: string | null): string {
  return `${traceId} ${spanId ?? ""}`;
}

/** Those that are logged content, and no scores. */
export function contentsAmong(scores: readonly StoredScore[]): StoredScore[] {
  return scores.filter(({ name }) => name === LOGGED_CONTENT);
}

/** Scores to write, each id once, and the ids of those that their traces or spans have no room for. */
export function withinLimit(
  scores: readonly StoredScore[],
  known: KnownScores,
): { readonly kept: readonly StoredScore[]; readonly rejected: RejectedScores } {
  const counts = new Map(known.counts);
  const rejected = new Map<string, "trace-full" | "span-full">();
  const last = new Map(scores.map((score) => [score.id, score]));
  const contentBytes = new Map(known.contentBytes);
  const kept = [...last.values()].filter(({ id, traceId, spanId, name, record }) => {
    if (known.ids.has(id)) return true;
    const count = (counts.get(traceId) ?? 0) + 1;
    const isContent = name === LOGGED_CONTENT;
    const key = spanKey(traceId, spanId);
    const bytes = (contentBytes.get(key) ?? 0) + (isContent ? Buffer.byteLength(record) : 0);
    const isTraceFull = count > MOST_SCORES_PER_TRACE;
    if (isTraceFull || (isContent && bytes > MOST_CONTENT_BYTES)) {
      rejected.set(id, isTraceFull ? "trace-full" : "span-full");
      return false;
    }
    counts.set(traceId, count);
    contentBytes.set(key, bytes);
    return true;
  });
  return { kept, rejected };
}

/** The outcome of a batch that was committed. */
export function committedScores(rejected: RejectedScores): ScoreOutcome {
  return rejected.size === 0 ? { kind: "committed" } : { kind: "partly-committed", rejected };
}

/** What a filter asks of the scores of one name. */
export interface ScoreCondition {
  readonly name: string;
  readonly test:
    | { readonly operator: ScoreOperator; readonly value: number }
    /** `any`: there is one, whatever its status. `none`: there is none. */
    | "any"
    | "none"
    | "skipped"
    | "failed";
}

export const SCORE_OPERATORS = ["<=", ">=", "<", ">", "="] as const;

export type ScoreOperator = (typeof SCORE_OPERATORS)[number];

/** A score as reads need it. */
export interface ScoreRow {
  /** Empty: the top span of the trace. */
  readonly span_id: string;
  readonly record: string;
}

/** The scores of one trace, as the records of its spans show them. */
export class TraceScores {
  /** By the id of the span, each with its place in the order; that of the top is empty. */
  readonly #bySpan: ReadonlyMap<string, readonly (readonly [place: number, record: string])[]>;

  /** @param rows In the order in which they are shown. */
  constructor(rows: readonly ScoreRow[]) {
    const bySpan = new Map<string, [number, string][]>();
    for (const [place, { span_id, record }] of rows.entries()) {
      const records = bySpan.get(span_id);
      if (records === undefined) bySpan.set(span_id, [[place, record]]);
      else records.push([place, record]);
    }
    this.#bySpan = bySpan;
  }

  /**
   * What a span's record is read with.
   *
   * @param content Logged content that is not among the rows.
   */
  of(spanId: string, isTop: boolean, content: readonly string[] = []): SpanAdditions {
    const own = this.#bySpan.get(spanId) ?? [];
    const ofTrace = isTop ? (this.#bySpan.get("") ?? []) : [];
    if (own.length + ofTrace.length + content.length === 0) return NO_ADDITIONS;
    const records = [...own, ...ofTrace].sort(([a], [b]) => a - b);
    return new SpanAdditions([...records.map(([, record]) => record), ...content]);
  }
}
