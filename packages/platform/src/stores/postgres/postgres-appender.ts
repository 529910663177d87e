import type { StoredSpan } from "@agate/spans";
import type { BatchToWrite } from "../segments/batch-encoder.ts";
import { createBatchEncoder } from "../segments/batch-encoder.ts";
import { committed } from "../span-limit.ts";
import type { AppendOutcome, OpenAppender, SpanBatch } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { WRITER_SETTINGS } from "./connection-settings.ts";
import { dayOf } from "./day.ts";
import { makeDays } from "./day-tables.ts";
import { isMissingDay, SpanDatabase } from "./span-database.ts";
import type { RejectedInProject } from "./trace-writer.ts";
import { writeTraces } from "./trace-writer.ts";

/** Transactions at a time: while one waits for the disk, the next is prepared. */
const CONNECTIONS = 2;
/** At most so many characters of records share a transaction, unless a single batch is larger. */
const GROUP_LENGTH = 16 * 1024 * 1024;
const GROUP_SPANS = 20_000;
const STATEMENT_MS = 30_000;
const ATTEMPTS = 3;

interface Pending {
  readonly batch: SpanBatch;
  /** The traces that it writes to, by {@link traceKey}. */
  readonly traces: ReadonlySet<string>;
  readonly answer: PromiseWithResolvers<AppendOutcome>;
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
  #pending: Pending[] = [];
  /** Traces that a transaction under way writes to. */
  readonly #busy = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
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
    const answer = Promise.withResolvers<AppendOutcome>();
    const traces = new Set(batch.spans.map((span) => traceKey(batch, span)));
    this.#pending.push({ batch, traces, answer });
    this.#next();
    return answer.promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#database.close(async () => {
      while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    });
  }

  #next(): void {
    if (this.#pending.length === 0 || this.#underWay.size >= CONNECTIONS) return;
    const group = this.#takeGroup();
    if (group.length === 0) return;
    const traces = group.flatMap((pending) => [...pending.traces]);
    for (const trace of traces) this.#busy.add(trace);
    const work = this.#writeGroup(group).finally(() => {
      for (const trace of traces) this.#busy.delete(trace);
      this.#underWay.delete(work);
      this.#next();
    });
    this.#underWay.add(work);
  }

  /** A trace is written to by one transaction at a time: what came last must be written last. */
  #takeGroup(): Pending[] {
    let length = 0;
    let spans = 0;
    const group: Pending[] = [];
    const rest: Pending[] = [];
    const notNow = new Set(this.#busy);
    for (const [n, pending] of this.#pending.entries()) {
      const { batch, traces } = pending;
      if ([...traces].some((trace) => notNow.has(trace))) {
        for (const trace of traces) notNow.add(trace);
        rest.push(pending);
        continue;
      }
      length += lengthOf(batch.spans);
      spans += batch.spans.length;
      if (group.length > 0 && (length > GROUP_LENGTH || spans > GROUP_SPANS)) {
        for (const later of this.#pending.slice(n)) rest.push(later);
        break;
      }
      group.push(pending);
    }
    this.#pending = rest;
    return group;
  }

  async #writeGroup(group: readonly Pending[]): Promise<void> {
    const written = await this.#write(group);
    if (written.kind !== "failed" || group.length === 1) {
      for (const pending of group) this.#settle(pending, written);
      return;
    }
    // One bad batch must not fail its neighbours.
    for (const one of group) this.#settle(one, await this.#write([one]));
  }

  #settle({ batch, answer }: Pending, written: Written): void {
    switch (written.kind) {
      case "failed":
        answer.reject(written.error);
        break;
      case "unavailable":
        answer.resolve(written);
        break;
      case "written":
        answer.resolve(committed(rejectedOf(batch, written.rejected), this.#maxSpansPerTrace));
    }
  }

  async #write(group: readonly Pending[]): Promise<Written> {
    try {
      const batches = joined(group.map(({ batch }) => batch)).map(this.#encode);
      return { kind: "written", rejected: await this.#commit(batches) };
    } catch (error) {
      return error instanceof StoreUnavailableError
        ? { kind: "unavailable", reason: error.reason }
        : { kind: "failed", error };
    }
  }

  async #commit(batches: readonly BatchToWrite[]): Promise<readonly RejectedInProject[]> {
    const days = new Set(batches.map(({ receivedAt }) => dayOf(receivedAt)));
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#makeDays(days);
        return await this.#database.transaction((transaction) =>
          writeTraces(transaction, batches, this.#maxSpansPerTrace),
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

/** What became of a group of batches. */
type Written =
  | { readonly kind: "written"; readonly rejected: readonly RejectedInProject[] }
  | { readonly kind: "unavailable"; readonly reason: string }
  | { readonly kind: "failed"; readonly error: unknown };

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

function lengthOf(spans: readonly StoredSpan[]): number {
  return spans.reduce((length, span) => length + span.openRecord.length, 0);
}
