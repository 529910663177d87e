import type { StoredSpan } from "@agate/spans";
import type { ProjectCount, SpanPart, TraceSizePage } from "../span-store.ts";
import { PART_LIMITS, TRACES_PER_PAGE } from "../span-store.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { LONG_QUERY_SETTINGS } from "./clickhouse-session.ts";
import type { SpanPlace } from "./span-records.ts";
import type { FactRow } from "./span-row.ts";
import { FACT_COLUMNS, factsOf } from "./span-row.ts";
import { nodesOf } from "./stored-summaries.ts";

/** Traces whose names are read at a time. */
const TRACES_PER_LOOK = 10_000;

/** A trace that is to be given, in the order in which traces are. */
interface TraceName {
  readonly received: number;
  readonly project: string;
  readonly traceId: string;
}

interface SizedTrace extends TraceName {
  /** Each span as often as it was written. */
  readonly spans: number;
  readonly bytes: number;
}

/** The last trace that was given; `inside` of it the last span, where there is more of it. */
interface Position extends TraceName {
  readonly inside: { readonly start: number; readonly spanId: string } | null;
}

type SpanRow = readonly [...facts: FactRow, record: string];

/** Counts everything, and gives it back as it was appended. */
export class SpanExporter {
  readonly #session: ClickHouseSession;

  constructor(session: ClickHouseSession) {
    this.#session = session;
  }

  async countSpans(): Promise<ProjectCount[]> {
    const rows = await this.#session.rows<[string, number, number]>(
      `SELECT project, count(), sum(spans) FROM (
         SELECT project, trace_id, uniqExact(span_id) AS spans FROM ${this.#session.table("spans")}
         GROUP BY project, trace_id
       ) GROUP BY project ORDER BY project`,
      {},
      { ...LONG_QUERY_SETTINGS, optimize_aggregation_in_order: 1 },
    );
    return rows.map(([project, traces, spans]) => ({ project, traces, spans }));
  }

  async traceSizes(after: string | null): Promise<TraceSizePage> {
    const [project, traceId] = after === null ? ["", ""] : (JSON.parse(after) as [string, string]);
    const rows = await this.#session.rows<[string, string, number]>(
      `SELECT project, trace_id, uniqExact(span_id) FROM ${this.#session.table("spans")}
       WHERE (project, trace_id) > ({project:String}, {traceId:String})
       GROUP BY project, trace_id ORDER BY project, trace_id LIMIT ${TRACES_PER_PAGE}`,
      { project, traceId },
      { ...LONG_QUERY_SETTINGS, optimize_aggregation_in_order: 1 },
    );
    const last = rows.at(-1);
    return {
      items: rows.map(([project, traceId, spans]) => ({ project, traceId, spans })),
      next:
        rows.length < TRACES_PER_PAGE || last === undefined
          ? null
          : JSON.stringify(last.slice(0, 2)),
    };
  }

  async sizesOf(project: string, traceIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#session.rows<[string, number]>(
      `SELECT trace_id, uniqExact(span_id) FROM ${this.#session.table("spans")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       GROUP BY trace_id`,
      { project, traceIds },
      LONG_QUERY_SETTINGS,
    );
    return new Map(rows);
  }

  async *exportSpans(after: string | null): AsyncGenerator<SpanPart, void, void> {
    let position = after === null ? null : (JSON.parse(after) as Position);
    for (let isMore = true; isMore; ) {
      const traces = await this.#tracesFrom(position);
      isMore = traces.length === TRACES_PER_LOOK;
      for (const some of inLots(traces)) {
        for await (const part of this.#partsOf(some, position)) yield part;
        position = { ...nameOf(some.at(-1) as SizedTrace), inside: null };
      }
    }
  }

  /** Some traces from a position on, by the arrival of their last spans. */
  async #tracesFrom(position: Position | null): Promise<SizedTrace[]> {
    const commits = this.#session.table("commits");
    const begun = position === null || position.inside !== null ? ">=" : ">";
    const rows = await this.#session.rows<[number, string, string, number, number]>(
      `SELECT max(received) AS last, project, trace_id, sum(spans), sum(bytes) FROM ${commits}
       WHERE (project, trace_id) IN (
         SELECT project, trace_id FROM ${commits} WHERE received >= {received:Int64}
         GROUP BY project, trace_id
         HAVING (max(received), project, trace_id) ${begun} ({received:Int64}, {project:String}, {traceId:String})
         ORDER BY max(received), project, trace_id LIMIT ${TRACES_PER_LOOK}
       )
       GROUP BY project, trace_id ORDER BY last, project, trace_id LIMIT ${TRACES_PER_LOOK}`,
      {
        received: position?.received ?? Number.MIN_SAFE_INTEGER,
        project: position?.project ?? "",
        traceId: position?.traceId ?? "",
      },
      LONG_QUERY_SETTINGS,
    );
    return rows.map(([received, project, traceId, spans, bytes]) => ({
      received,
      project,
      traceId,
      spans,
      bytes,
    }));
  }

  async *#partsOf(
    traces: readonly SizedTrace[],
    position: Position | null,
  ): AsyncGenerator<SpanPart, void, void> {
    const [only] = traces;
    if (only !== undefined && isLarge(only)) {
      const isBegun = position?.traceId === only.traceId && position.project === only.project;
      yield* this.#partsOfLarge(only, isBegun ? position.inside : null);
      return;
    }
    const spans = Map.groupBy(await this.#spansOf(traces), ({ traceId }) => traceId);
    for (const [received, own] of Map.groupBy(traces, (trace) => trace.received)) {
      const part = own.flatMap(({ traceId }) => spans.get(traceId) ?? []);
      const last = { ...nameOf(own.at(-1) as SizedTrace), inside: null };
      if (part.length > 0) yield partOf(last, received, part);
    }
  }

  async *#partsOfLarge(
    trace: SizedTrace,
    after: Position["inside"],
  ): AsyncGenerator<SpanPart, void, void> {
    const { project, traceId, received } = trace;
    const nodes = (await nodesOf(this.#session, project, [traceId])).get(traceId)?.table;
    if (nodes === undefined) return;
    const places = Array.from({ length: nodes.length }, (_, index) => {
      const node = nodes.at(index)!;
      const { id: spanId, start, openLength: bytes, segment: version } = node;
      return { traceId, spanId, start, version, spans: 1, bytes };
    })
      .sort(comparePlaces)
      .filter((place) => after === null || comparePlaces(place, after) > 0);
    for (const lot of inLots(places)) {
      const last = lot.at(-1)!;
      const inside = { start: last.start, spanId: last.spanId };
      yield partOf({ ...nameOf(trace), inside }, received, await this.#spansAt(project, lot));
    }
  }

  /** The spans of some traces of one project. */
  async #spansOf(traces: readonly TraceName[]): Promise<StoredSpan[]> {
    const rows = await this.#session.rows<SpanRow>(
      `SELECT ${FACT_COLUMNS}, record FROM ${this.#session.table("spans")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       ORDER BY trace_id, span_id, version DESC LIMIT 1 BY trace_id, span_id`,
      { project: traces[0]?.project, traceIds: traces.map(({ traceId }) => traceId) },
    );
    return rows.map(spanOf);
  }

  /** Spans of one trace, as they were written last. */
  async #spansAt(
    project: string,
    places: readonly (SpanPlace & { readonly version: number })[],
  ): Promise<StoredSpan[]> {
    const rows = await this.#session.rows<SpanRow>(
      `SELECT ${FACT_COLUMNS}, record FROM ${this.#session.table("spans")}
       WHERE project = {project:String} AND trace_id = {traceId:String} AND start IN {starts:Array(Int64)}
         AND (span_id, version) IN arrayZip({spanIds:Array(String)}, {versions:Array(UInt64)})
       LIMIT 1 BY span_id`,
      {
        project,
        traceId: places[0]?.traceId,
        starts: places.map(({ start }) => start),
        spanIds: places.map(({ spanId }) => spanId),
        versions: places.map(({ version }) => version),
      },
    );
    return rows.map(spanOf);
  }
}

/** Runs of what is read at once: of one project, within the limits of a part. */
function inLots<Sized extends { readonly project?: string; spans: number; bytes: number }>(
  all: readonly Sized[],
): Sized[][] {
  const lots: Sized[][] = [];
  let spans = 0;
  let bytes = 0;
  let lot: Sized[] | undefined;
  for (const one of all) {
    spans += one.spans;
    bytes += one.bytes;
    const fits =
      lot?.[0]?.project === one.project && spans <= PART_LIMITS.spans && bytes <= PART_LIMITS.bytes;
    if (lot === undefined || !fits) {
      lot = [];
      lots.push(lot);
      ({ spans, bytes } = one);
    }
    lot.push(one);
  }
  return lots;
}

function isLarge({ spans, bytes }: SizedTrace): boolean {
  return spans > PART_LIMITS.spans || bytes > PART_LIMITS.bytes;
}

function nameOf({ received, project, traceId }: TraceName): TraceName {
  return { received, project, traceId };
}

function comparePlaces(
  a: { readonly start: number; readonly spanId: string },
  b: { readonly start: number; readonly spanId: string },
): number {
  return a.start - b.start || (a.spanId < b.spanId ? -1 : a.spanId > b.spanId ? 1 : 0);
}

function partOf(position: Position, receivedAt: number, spans: readonly StoredSpan[]): SpanPart {
  return { project: position.project, receivedAt, spans, position: JSON.stringify(position) };
}

function spanOf(row: SpanRow): StoredSpan {
  const facts = row.slice(0, -1) as FactRow;
  return { ...factsOf(facts), openRecord: row.at(-1) as string };
}
