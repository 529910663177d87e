import type { QueuedBatch } from "../group-commit.ts";
import { GroupCommit } from "../group-commit.ts";
import { UnindexableSpans } from "../search/unindexable-spans.ts";
import { beyondLimit, committed } from "../span-limit.ts";
import type { AppendOutcome, OpenAppender, RejectedSpan, SpanBatch } from "../span-store.ts";
import type { StoreTrouble } from "../store-errors.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { POINT_READ } from "./clickhouse-session.ts";
import type { IncomingSpan } from "./incoming-span.ts";
import { INCOMING_COLUMNS, SpanEncoder } from "./incoming-span.ts";
import { LoggedWords } from "./logged-words.ts";
import { SummaryBacklog } from "./summary-keeper.ts";
import { SummaryWriter } from "./summary-writer.ts";

/** Inserts under way at a time: while the database writes one, the next is encoded and sent. */
const GROUPS_AT_ONCE = 2;
/** Spans that the second one must have: an insert of a few takes the database nearly as long as one of a thousand. */
const FURTHER_FROM_SPANS = 2_000;

interface WaitingBatch extends QueuedBatch {
  readonly spans: readonly IncomingSpan[];
}

/**
 * The write side. Batches that arrive during an insert share the next one: ClickHouse prefers few large
 * inserts. No two inserts under way write to the same trace, so that of two writes to it the later one is counted
 * and summarised last.
 */
export class ClickHouseAppender implements Omit<OpenAppender, "putScores"> {
  readonly #session: ClickHouseSession;
  readonly #maxSpansPerTrace: number;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  readonly #summaries: SummaryWriter;
  readonly #backlog: SummaryBacklog;
  readonly #loggedWords: LoggedWords;
  readonly #encoder = new SpanEncoder();
  readonly #clock = new VersionClock();
  readonly #commits = new GroupCommit<WaitingBatch>({
    concurrency: GROUPS_AT_ONCE,
    furtherFromSpans: FURTHER_FROM_SPANS,
    write: (group) => this.#commit(group),
  });

  /** @param onTrouble Told of spans and traces that could not be processed in full. */
  constructor(
    session: ClickHouseSession,
    maxSpansPerTrace: number,
    onTrouble: (trouble: StoreTrouble) => void,
  ) {
    this.#session = session;
    this.#maxSpansPerTrace = maxSpansPerTrace;
    this.#onTrouble = onTrouble;
    this.#summaries = new SummaryWriter(session);
    this.#loggedWords = new LoggedWords(session);
    this.#backlog = new SummaryBacklog(this.#summaries, onTrouble);
  }

  append(batch: SpanBatch): Promise<AppendOutcome> {
    const { project, receivedAt } = batch;
    const versions = new Map<string, number>();
    const unindexable = new UnindexableSpans();
    // Each trace has its own version, in order: of a span id that two traces share, the later one is found.
    const writes = batch.spans.map((span) => {
      const version = versions.get(span.traceId) ?? this.#clock.next();
      versions.set(span.traceId, version);
      return { version, receivedAt, span };
    });
    // Encoded now, while the database writes the batches before.
    const spans = this.#encoder.encode(project, writes, ({ traceId, id: spanId }, error) =>
      unindexable.add({ traceId, spanId }, error),
    );
    unindexable.report(this.#onTrouble);
    const characters = batch.spans.reduce((sum, { openRecord }) => sum + openRecord.length, 0);
    const traces = [...versions.keys()];
    return this.#commits.append({ spans, characters, spanCount: spans.length, traces });
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#backlog.close();
  }

  async #commit(group: readonly WaitingBatch[]): Promise<AppendOutcome[]> {
    const spans = lastWrites(group);
    const beyond = await spansBeyondLimit(this.#session, spans, this.#maxSpansPerTrace);
    await this.#write(beyond.size === 0 ? spans : spans.filter((span) => !beyond.has(span)));
    const rejected = new Set([...beyond].map(keyOf));
    return group.map((batch) =>
      committed(rejectedOf(batch.spans, rejected), this.#maxSpansPerTrace),
    );
  }

  async #write(spans: readonly IncomingSpan[]): Promise<void> {
    await this.#session.insertBlock("incoming", INCOMING_COLUMNS, spans);
    for (const [project, own] of Map.groupBy(spans, (span) => span.project)) {
      const byTrace = Map.groupBy(own, ({ span }) => span.traceId);
      const [behind] = await Promise.all([
        this.#summaries.follow(project, byTrace),
        this.#loggedWords.addToSpans(project, own),
      ]);
      this.#backlog.add(project, behind);
    }
  }
}

/** Each span once: the last write wins. */
function lastWrites(group: readonly WaitingBatch[]): IncomingSpan[] {
  const spans = new Map<string, IncomingSpan>();
  for (const incoming of group.flatMap((batch) => batch.spans)) {
    spans.set(keyOf(incoming), incoming);
  }
  return [...spans.values()];
}

/** Those of a batch's spans that were rejected, each once. */
function rejectedOf(
  spans: readonly IncomingSpan[],
  rejected: ReadonlySet<string>,
): readonly RejectedSpan[] {
  if (rejected.size === 0) return [];
  const own = new Map<string, RejectedSpan>();
  for (const incoming of spans) {
    const { traceId, id: spanId } = incoming.span;
    const key = keyOf(incoming);
    if (rejected.has(key)) own.set(key, { traceId, spanId });
  }
  return [...own.values()];
}

function keyOf({ project, span }: IncomingSpan): string {
  return `${span.traceId} ${span.id} ${project}`;
}

const MICROSECONDS = 1_000;

/**
 * Numbers the writes of this process: microseconds since 1970, each higher than the one before. Versions of
 * other replicas interleave with them as long as the clocks agree.
 */
export class VersionClock {
  #last = 0;

  next(): number {
    // The clock has milliseconds: random microseconds keep the versions of replicas apart.
    const now = Date.now() * MICROSECONDS + Math.floor(Math.random() * MICROSECONDS);
    this.#last = Math.max(this.#last + 1, now);
    return this.#last;
  }
}

/**
 * Which spans would take their trace beyond the limit. Concurrent inserts of other servers are not counted:
 * each server may exceed the limit by what it has under way.
 *
 * @param spans Each once, in the order of arrival.
 */
async function spansBeyondLimit(
  session: ClickHouseSession,
  spans: readonly IncomingSpan[],
  limit: number,
): Promise<ReadonlySet<IncomingSpan>> {
  const beyond = new Set<IncomingSpan>();
  if (limit === Number.POSITIVE_INFINITY) return beyond;
  for (const [project, own] of Map.groupBy(spans, (span) => span.project)) {
    const byTrace = Map.groupBy(own, ({ span }) => span.traceId);
    const written = await writtenSpans(session, project, [...byTrace.keys()]);
    for (const [traceId, sent] of byTrace) {
      // Spans that were sent again are counted twice, so this is an upper bound.
      const most = written.get(traceId) ?? 0;
      if (most + sent.length <= limit) continue;
      const ids = sent.map(({ span }) => span.id);
      const { count, stored } = await storedSpans(session, project, traceId, ids);
      const isStored = (index: number) => stored.has(ids[index] as string);
      for (const index of beyondLimit(sent.length, isStored, count, limit)) {
        beyond.add(sent[index] as IncomingSpan);
      }
    }
  }
  return beyond;
}

/** How many spans were written to traces, each as often as it was written. */
async function writtenSpans(
  session: ClickHouseSession,
  project: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.rows<[string, number]>(
    `SELECT trace_id, sum(spans) FROM ${session.table("commits")}
     WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
     GROUP BY trace_id`,
    { project, traceIds },
    POINT_READ,
  );
  return new Map(rows);
}

/** How many distinct spans a trace has, and which of these ids are among them. */
async function storedSpans(
  session: ClickHouseSession,
  project: string,
  traceId: string,
  spanIds: readonly string[],
): Promise<{ readonly count: number; readonly stored: ReadonlySet<string> }> {
  const [row] = await session.rows<[number, string[]]>(
    `SELECT uniqExact(span_id), groupUniqArrayIf(span_id, span_id IN {spanIds:Array(String)})
     FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id = {traceId:String}`,
    { project, traceId, spanIds },
  );
  const [count, stored] = row ?? [0, []];
  return { count, stored: new Set(stored) };
}
