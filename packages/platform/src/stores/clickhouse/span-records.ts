import type { SpanNodes } from "@agate/spans/tree";
import { ByteWindow } from "../byte-window.ts";
import type { PlacedNode } from "../segments/node-table.ts";
import { TraceGoneError } from "../span-store.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";

/** Where a span's record lies. */
export interface SpanPlace {
  readonly traceId: string;
  readonly start: number;
  readonly spanId: string;
}

/** Something of spans by their places; undefined where there is none. */
type AtPlace<Value> = (place: SpanPlace) => Value | undefined;

/** Open records by place. */
export type RecordsAt = AtPlace<string>;

/** Reads the open records of spans, as they were last written at these places. */
export function recordsAt(
  session: ClickHouseSession,
  project: string,
  places: readonly SpanPlace[],
): Promise<RecordsAt> {
  return columnAt<string>(session, project, places, "record");
}

/** Reads how many bytes the open records of spans have. */
export function recordBytesAt(
  session: ClickHouseSession,
  project: string,
  places: readonly SpanPlace[],
): Promise<AtPlace<number>> {
  return columnAt<number>(session, project, places, "record_bytes");
}

async function columnAt<Value>(
  session: ClickHouseSession,
  project: string,
  places: readonly SpanPlace[],
  column: "record" | "record_bytes",
): Promise<AtPlace<Value>> {
  if (places.length === 0) return () => undefined;
  // May return a few extra rows: filtering them here is cheaper than a more exact query. The primary key
  // finds the rows, so the index of span ids is not used.
  const rows = await session.rows<[string, number, string, number, Value]>(
    `SELECT trace_id, start, span_id, version, ${column} FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       AND start IN {starts:Array(Int64)} AND span_id IN {spanIds:Array(String)}
     SETTINGS use_skip_indexes = 0`,
    {
      project,
      traceIds: [...new Set(places.map(({ traceId }) => traceId))],
      starts: places.map(({ start }) => start),
      spanIds: places.map(({ spanId }) => spanId),
    },
  );
  rows.sort(([, , , a], [, , , b]) => a - b);
  const values = new Map(
    rows.map(([traceId, start, spanId, , value]) => [key({ traceId, start, spanId }), value]),
  );
  return (place) => values.get(key(place));
}

function key({ traceId, start, spanId }: SpanPlace): string {
  return `${traceId} ${start} ${spanId}`;
}

/** Records that are asked for ahead of time. */
const AHEAD_BYTES = 2 * 1024 * 1024;
const AHEAD_SPANS = 512;

interface Nodes extends SpanNodes {
  at(index: number): PlacedNode | undefined;
}

/**
 * The records of one trace, a window at a time. A tree is read about in the order in which its
 * spans started, which is the order of the rows: what starts next is fetched along.
 */
export class RecordWindow {
  readonly #traceId: string;
  readonly #nodes: Nodes;
  readonly #read: (places: readonly SpanPlace[]) => Promise<RecordsAt>;
  /** Node indices by start, and where each stands among them. */
  readonly #order: Uint32Array;
  readonly #rank: Uint32Array;
  readonly #records = new ByteWindow<number>();

  /** @param atHand Records that were read already. */
  constructor(
    traceId: string,
    nodes: Nodes,
    read: (places: readonly SpanPlace[]) => Promise<RecordsAt>,
    atHand: Iterable<readonly [index: number, record: Uint8Array]> = [],
  ) {
    this.#traceId = traceId;
    this.#nodes = nodes;
    this.#read = read;
    for (const [index, record] of atHand) this.#records.add(index, record);
    const starts = Float64Array.from({ length: nodes.length }, (_, n) => this.#at(n).start);
    this.#order = Uint32Array.from(starts.keys()).sort(
      (a, b) => (starts[a] as number) - (starts[b] as number),
    );
    this.#rank = new Uint32Array(nodes.length);
    for (const [rank, index] of this.#order.entries()) this.#rank[index] = rank;
  }

  /** @throws TraceGoneError */
  async get(wanted: readonly number[]): Promise<Uint8Array[]> {
    const missing = wanted.filter((index) => this.#records.get(index) === undefined);
    if (missing.length > 0) await this.#fetch(missing);
    const found = wanted.map((index) => this.#records.get(index) as Uint8Array);
    this.#records.shrink();
    return found;
  }

  async #fetch(missing: readonly number[]): Promise<void> {
    const asked = new Set(missing);
    for (const index of this.#ahead(missing)) asked.add(index);
    const recordAt = await this.#read([...asked].map((index) => this.#place(index)));
    for (const index of asked) {
      const record = recordAt(this.#place(index));
      if (record === undefined) throw new TraceGoneError("The trace was deleted while it was read");
      this.#records.add(index, Buffer.from(record));
    }
  }

  *#ahead(missing: readonly number[]): Generator<number, void, void> {
    let rank = missing.reduce(
      (least, index) => Math.min(least, this.#rank[index] as number),
      Number.POSITIVE_INFINITY,
    );
    let bytes = 0;
    for (let n = 0; n < AHEAD_SPANS && bytes < AHEAD_BYTES; n++, rank++) {
      const index = this.#order[rank];
      if (index === undefined) return;
      bytes += this.#at(index).openLength;
      if (this.#records.get(index) === undefined) yield index;
    }
  }

  #place(index: number): SpanPlace {
    const { id, start } = this.#at(index);
    return { traceId: this.#traceId, start, spanId: id };
  }

  #at(index: number): PlacedNode {
    return this.#nodes.at(index) as PlacedNode;
  }
}
