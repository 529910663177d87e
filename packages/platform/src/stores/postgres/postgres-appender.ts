import type { StoredSpan } from "@agate/spans";
import type { QueuedBatch } from "../group-commit.ts";
import { GroupCommit } from "../group-commit.ts";
import type { ScoreBatch, ScoreOutcome } from "../score-store.ts";
import type { BatchToWrite } from "../segments/segment-encoder.ts";
import { createBatchEncoder } from "../segments/segment-encoder.ts";
import { committed } from "../span-limit.ts";
import type { AppendOutcome, OpenAppender, SpanBatch } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import { WRITER_SETTINGS } from "./connection-settings.ts";
import { dayOf } from "./day.ts";
import { makeDays } from "./day-tables.ts";
import type { RejectedInProject } from "./known-traces.ts";
import { isMissingDay } from "./postgres-errors.ts";
import { putScores } from "./score-table.ts";
import { SpanDatabase } from "./span-database.ts";
import { writeTraces } from "./trace-writer.ts";

/** Transactions at a time: while one waits for the disk, the next is prepared. */
const CONNECTIONS = 2;
const STATEMENT_MS = 30_000;
const ATTEMPTS = 3;

interface WaitingBatch extends QueuedBatch {
  readonly batch: SpanBatch;
}

/** Opens the write side: batches that wait while transactions are under way share the next. */
export function openPostgresAppender(
  address: PostgresAddress,
  maxSpansPerTrace: number,
): OpenAppender {
  return new PostgresAppender(address, maxSpansPerTrace);
}

class PostgresAppender implements OpenAppender {
  readonly #database: SpanDatabase;
  readonly #maxSpansPerTrace: number;
  readonly #encode = createBatchEncoder();
  readonly #knownDays = new Set<number>();
  readonly #commits = new GroupCommit<WaitingBatch>({
    concurrency: CONNECTIONS,
    write: (group) => this.#write(group),
  });
  #closed = false;

  constructor(address: PostgresAddress, maxSpansPerTrace: number) {
    this.#maxSpansPerTrace = maxSpansPerTrace;
    this.#database = new SpanDatabase(address, {
      connections: CONNECTIONS,
      statementMs: STATEMENT_MS,
      settings: WRITER_SETTINGS,
    });
  }

  append(batch: SpanBatch): Promise<AppendOutcome> {
    if (this.#closed) {
      return Promise.resolve({ kind: "unavailable", reason: "The store is closed." });
    }
    if (batch.spans.length === 0) return Promise.resolve({ kind: "committed" });
    return this.#commits.append({
      batch,
      spanCount: batch.spans.length,
      characters: batch.spans.reduce((sum, { openRecord }) => sum + openRecord.length, 0),
      traces: new Set(batch.spans.map((span) => traceKey(batch, span))),
    });
  }

  putScores(batch: ScoreBatch): Promise<ScoreOutcome> {
    return putScores(this.#database, batch);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#database.close(() => this.#commits.idle());
  }

  async #write(group: readonly WaitingBatch[]): Promise<AppendOutcome[]> {
    const batches = group.map(({ batch }) => batch);
    const isSaturated = batches.length > 1;
    const rejected = await this.#commit(joined(batches).map(this.#encode), isSaturated);
    return batches.map((batch) => committed(rejectedOf(batch, rejected), this.#maxSpansPerTrace));
  }

  async #commit(
    batches: readonly BatchToWrite[],
    isSaturated: boolean,
  ): Promise<readonly RejectedInProject[]> {
    const days = new Set(batches.map(({ receivedAt }) => dayOf(receivedAt)));
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#makeDays(days);
        return await this.#database.transaction((transaction) =>
          writeTraces(transaction, batches, this.#maxSpansPerTrace, isSaturated),
        );
      } catch (error) {
        // A day that was dropped since it was made, or made in a database that was restored since.
        if (!isMissingDay(error) || attempt === ATTEMPTS) throw error;
        this.#knownDays.clear();
      }
    }
  }

  async #makeDays(days: ReadonlySet<number>): Promise<void> {
    const unknown = [...days].filter((day) => !this.#knownDays.has(day));
    if (unknown.length === 0) return;
    await makeDays(this.#database, unknown);
    for (const day of unknown) this.#knownDays.add(day);
  }
}

/** Those of the rejected spans that a batch holds. */
function rejectedOf(
  { project, spans }: SpanBatch,
  rejected: readonly RejectedInProject[],
): readonly RejectedInProject[] {
  if (rejected.length === 0) return [];
  const sent = new Set(spans.map((span) => `${span.traceId} ${span.id}`));
  return rejected.filter(
    (span) => span.project === project && sent.has(`${span.traceId} ${span.spanId}`),
  );
}

/**
 * Batches in which each trace is once: of one that came in several, the spans are written together,
 * as of the last of these.
 */
function joined(batches: readonly SpanBatch[]): SpanBatch[] {
  const traces = new Map<string, { project: string; receivedAt: number; spans: StoredSpan[] }>();
  for (const { project, receivedAt, spans } of batches) {
    for (const span of spans) {
      const key = traceKey({ project }, span);
      const trace = traces.get(key) ?? { project, receivedAt, spans: [] };
      traces.set(key, trace);
      trace.receivedAt = Math.max(trace.receivedAt, receivedAt);
      trace.spans.push(span);
    }
  }
  const together = Map.groupBy(traces.values(), (one) => `${one.receivedAt} ${one.project}`);
  return [...together.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    return { ...first, spans: [first, ...others].flatMap(({ spans }) => spans) };
  });
}

function traceKey({ project }: Pick<SpanBatch, "project">, { traceId }: StoredSpan): string {
  return `${traceId} ${project}`;
}
