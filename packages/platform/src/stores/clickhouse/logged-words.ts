import type { StoredSpan } from "@agate/spans";
import { groupedByContent, LOGGED_CONTENT } from "../logged-content.ts";
import { FILTERED_COLUMNS } from "./clickhouse-schema.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { POINT_READ } from "./clickhouse-session.ts";
import { deleteRows } from "./delete-rows.ts";
import type { IncomingSpan } from "./incoming-span.ts";
import { INCOMING_COLUMNS, SpanEncoder } from "./incoming-span.ts";
import { ListedScores } from "./score-table.ts";
import type { FactRow, SpanWrite } from "./span-row.ts";
import { FACT_COLUMNS, factsOf } from "./span-row.ts";

/** Those of `spans_by_start`. */
const NAMES: ReadonlySet<string> = new Set([
  "project",
  "start",
  "start_nanos",
  "span_id",
  "trace_id",
  "version",
  "received",
  ...FILTERED_COLUMNS,
  "cost",
  "words",
]);
const COLUMNS = INCOMING_COLUMNS.filter(({ name }) => NAMES.has(name));

interface SpanName {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * The words of spans whose content came in log records. Such a span gets a second row of the same version in the
 * table that is searched, with the words of both. Spans and content are each looked up after the other was
 * written, so that whichever comes last sees both.
 */
export class LoggedWords {
  readonly #session: ClickHouseSession;
  readonly #encoder = new SpanEncoder();

  constructor(session: ClickHouseSession) {
    this.#session = session;
  }

  /** After spans of a project were written: those for which content has been logged are found by it. */
  async addToSpans(project: string, spans: readonly IncomingSpan[]): Promise<void> {
    const logged = await this.#loggedSpans(
      project,
      spans.map(({ span }) => span.traceId),
    );
    if (logged.size === 0) return;
    const writes = spans
      .filter(({ span }) => logged.has(`${span.traceId} ${span.id}`))
      .map(({ version, receivedAt, span, record }) => ({
        version,
        receivedAt,
        span: { ...span, openRecord: record.toString() },
      }));
    await this.#write(project, writes);
  }

  /** After content was logged: its spans are found by it, if they are there. */
  async addContent(project: string, names: readonly SpanName[]): Promise<void> {
    if (names.length === 0) return;
    await this.#write(project, await this.#storedSpans(project, names));
  }

  async #loggedSpans(project: string, traceIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#session.rows<[string, string]>(
      `SELECT DISTINCT trace_id, span_id FROM ${this.#session.table("scores")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
         AND name = '${LOGGED_CONTENT}'`,
      { project, traceIds: [...new Set(traceIds)] },
      POINT_READ,
    );
    return new Set(rows.map(([traceId, spanId]) => `${traceId} ${spanId}`));
  }

  /** The last write of each of the spans. */
  async #storedSpans(
    project: string,
    names: readonly SpanName[],
  ): Promise<SpanWrite<StoredSpan>[]> {
    const rows = await this.#session.rows<[number, number, string, ...FactRow]>(
      `SELECT version, received, record, ${FACT_COLUMNS} FROM ${this.#session.table("spans")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
         AND (trace_id, span_id) IN arrayZip({ofSpans:Array(String)}, {spanIds:Array(String)})
       ORDER BY version DESC LIMIT 1 BY trace_id, span_id`,
      {
        project,
        traceIds: [...new Set(names.map(({ traceId }) => traceId))],
        ofSpans: names.map(({ traceId }) => traceId),
        spanIds: names.map(({ spanId }) => spanId),
      },
    );
    return rows.map(([version, receivedAt, openRecord, ...facts]) => ({
      version,
      receivedAt,
      span: { ...factsOf(facts), openRecord },
    }));
  }

  async #write(project: string, writes: readonly SpanWrite<StoredSpan>[]): Promise<void> {
    const contents = await ListedScores.of(
      this.#session,
      project,
      writes.map(({ span }) => placeOf(span)),
      false,
    );
    const groups = groupedByContent(writes, ({ span }) => contents.bytesAfter(placeOf(span)));
    for (const group of groups) {
      const contentAt = await contents.read(group.map(({ span }) => placeOf(span)));
      const filled = group.map((write) => {
        const openRecord = contentAt(placeOf(write.span)).fill(write.span.openRecord);
        return { ...write, span: { ...write.span, openRecord } };
      });
      // A span whose text cannot be indexed was reported when it was written.
      const rows = this.#encoder.encode(project, filled, () => {});
      await this.#session.insertBlock("spans_by_start", COLUMNS, rows);
    }
    await this.#withdrawDeleted(project, writes);
  }

  /** Deletes the rows of traces that were deleted meanwhile. */
  async #withdrawDeleted(project: string, writes: readonly SpanWrite<StoredSpan>[]): Promise<void> {
    const traceIds = [...new Set(writes.map(({ span }) => span.traceId))];
    if (traceIds.length === 0) return;
    const rows = await this.#session.rows<[string]>(
      `SELECT DISTINCT trace_id FROM ${this.#session.table("commits")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}`,
      { project, traceIds },
    );
    const live = new Set(rows.map(([traceId]) => traceId));
    const gone = traceIds.filter((traceId) => !live.has(traceId));
    if (gone.length === 0) return;
    const upTo = writes.reduce((newest, { version }) => Math.max(newest, version), 0);
    const traces = gone.map((traceId) => ({ project, traceId }));
    await deleteRows(this.#session, ["spans_by_start"], traces, { upTo });
  }
}

function placeOf({ traceId, id: spanId }: StoredSpan): SpanName {
  return { traceId, spanId };
}
