import type { QueuedBatch } from "../group-commit.ts";
import { GroupCommit } from "../group-commit.ts";
import type { ScoreBatch, ScoreOutcome } from "../score-store.ts";
import { committed } from "../span-limit.ts";
import type { AppendOutcome, OpenAppender, SpanBatch } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import { WRITER_SETTINGS } from "./connection-settings.ts";
import { dayOf } from "./day.ts";
import { makeDays } from "./day-tables.ts";
import type { RejectedInProject } from "./known-traces.ts";
import type { IncomingTrace } from "./packed-trace.ts";
import { TraceEncoder } from "./packed-trace.ts";
import { isMissingDay } from "./postgres-errors.ts";
import { putScores } from "./score-table.ts";
import { SpanDatabase } from "./span-database.ts";
import { writeTraces } from "./trace-writer.ts";

/** Transactions at a time: while one waits for the disk, the next is prepared. */
const CONNECTIONS = 2;
const STATEMENT_MS = 30_000;
const ATTEMPTS = 3;

interface WaitingBatch extends QueuedBatch {
  readonly incoming: readonly IncomingTrace[];
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
  readonly #encoder = new TraceEncoder();
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

  async append(batch: SpanBatch): Promise<AppendOutcome> {
    if (this.#closed) return { kind: "unavailable", reason: "The store is closed." };
    if (batch.spans.length === 0) return { kind: "committed" };
    const incoming = this.#encoder.encode(batch);
    return this.#commits.append({
      incoming,
      spanCount: batch.spans.length,
      characters: batch.spans.reduce((sum, { openRecord }) => sum + openRecord.length, 0),
      traces: incoming.map(traceKey),
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
    const incoming = this.#encoder.joined(group.flatMap((batch) => batch.incoming));
    const rejected = await this.#commit(incoming, group.length > 1);
    return group.map((batch) =>
      committed(rejectedOf(batch.incoming, rejected), this.#maxSpansPerTrace),
    );
  }

  async #commit(
    incoming: readonly IncomingTrace[],
    isSaturated: boolean,
  ): Promise<readonly RejectedInProject[]> {
    const days = new Set(incoming.map(({ receivedAt }) => dayOf(receivedAt)));
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#makeDays(days);
        return await this.#database.transaction((transaction) =>
          writeTraces(transaction, incoming, this.#maxSpansPerTrace, isSaturated),
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
  incoming: readonly IncomingTrace[],
  rejected: readonly RejectedInProject[],
): readonly RejectedInProject[] {
  if (rejected.length === 0) return [];
  const sent = new Map(
    incoming.map((one) => [traceKey(one), new Set(one.trace.columns.map(([spanId]) => spanId))]),
  );
  return rejected.filter(({ project, traceId, spanId }) =>
    sent.get(traceKey({ project, trace: { traceId } }))?.has(spanId),
  );
}

/** Names a trace among those of all projects. */
function traceKey(one: { readonly project: string; readonly trace: { readonly traceId: string } }) {
  return `${one.trace.traceId} ${one.project}`;
}
