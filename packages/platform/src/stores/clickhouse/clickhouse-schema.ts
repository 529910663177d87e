import type { ClickHouseAddress } from "../store-address.ts";

/** Counts the changes that {@link clickHouseSchema} has seen since the first release. */
export const SCHEMA_VERSION = 9;

/** The evaluation run of a trace; null for live traffic. */
const RUN = "run Nullable(String)";

/** How many spans of a trace failed: its top may be fine. */
const FAILED_SPANS = "failed_spans UInt32";

/** How many model calls of a trace have tokens but no cost: the cost is of the others. */
const UNPRICED_CALLS = "unpriced_calls UInt32";

/** Ranges without a trace that failed are skipped. */
const FAILED_INDEX = "INDEX by_failed failed_spans TYPE minmax GRANULARITY 1";

/** What a span or a trace is filtered by, but for its cost. */
const FILTERED = `
  latency Nullable(Float64),
  name String,
  spankind LowCardinality(String),
  status LowCardinality(String),
  application LowCardinality(Nullable(String)),
  route LowCardinality(Nullable(String)),
  variant LowCardinality(Nullable(String)),
  revision Nullable(Int64),
  environment LowCardinality(Nullable(String)),
  user_id Nullable(String),
  session_id Nullable(String),
  ${RUN}`;

/** Rare values are found without reading all rows before them. One index for all: each is files of its own. */
const FILTER_INDEX =
  "INDEX by_values (name, spankind, status, application, route, variant, environment, user_id, session_id) TYPE bloom_filter(0.01) GRANULARITY 1";

/** The names of {@link FILTERED}, in order. */
export const FILTERED_COLUMNS = [
  "latency",
  "name",
  "spankind",
  "status",
  "application",
  "route",
  "variant",
  "revision",
  "environment",
  "user_id",
  "session_id",
  "run",
] as const;
const FILTERED_NAMES = FILTERED_COLUMNS.join(", ");

/** Beyond the microseconds of `start`, for the order. Not in the key: it would tell no two rows apart. */
const START_NANOS = "start_nanos UInt16 CODEC(ZSTD)";

/** The words of a span, in their order. */
const WORDS = "words String CODEC(ZSTD(3))";

/** What ClickHouse cannot alter in a table that is there. */
export interface TableLayout {
  /** Of `spans`: what is compressed and read at once. */
  readonly granuleBytes: number;
  /** The index of words, as ClickHouse writes it. */
  readonly wordsIndex: string;
}

/**
 * That of new tables. Of ASCII, words have letters and digits only: splitting at all else finds the same as splitting
 * at spaces, in less time.
 */
export const LAYOUT: TableLayout = {
  granuleBytes: 1024 * 1024,
  wordsIndex: "text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking')",
};

/** Those of tables up to versions 8 and 7 of the schema, which keep them. */
export const EARLIER_LAYOUTS: readonly TableLayout[] = [
  {
    granuleBytes: 1024 * 1024,
    wordsIndex: "text(tokenizer = splitByString([' ']), posting_list_codec = 'bitpacking')",
  },
  { granuleBytes: 256 * 1024, wordsIndex: "text(tokenizer = splitByString([' ']))" },
];

/** How rows are kept. */
interface Kept {
  readonly version: string;
  readonly orderBy: string;
  readonly primaryKey?: string;
  /** The smallest unit that is read: rows or, for long rows, bytes. */
  readonly granularity?: { readonly rows?: number; readonly bytes?: number };
  /** Parts of fewer bytes have all columns in one file. */
  readonly wideFrom?: number;
}

interface Table {
  readonly name: string;
  readonly columns: string;
  /** Null: rows are not kept, only passed on to views. */
  readonly kept: Kept | null;
}

/**
 * One row a span and write. A batch is inserted once, here, and the views below put it where it is
 * read: the acknowledgement comes when all of them have it.
 */
const INCOMING: Table = {
  name: "incoming",
  columns: `
  project String,
  trace_id String,
  span_id String,
  version UInt64,
  received Int64,
  parent_id Nullable(String),
  start Int64,
  start_nanos UInt16,
  figures String,${FILTERED},
  cost Nullable(Float64),
  words String,
  record String`,
  kept: null,
};

/**
 * Spans by trace. Granules of few rows: a trace is few rows, and a granule is the least that is read. One
 * file: a trace takes most columns of few rows, and opening a file for each would take longer.
 */
const spans = ({ granuleBytes }: TableLayout): Table => ({
  name: "spans",
  columns: `
  project LowCardinality(String),
  trace_id String CODEC(ZSTD),
  span_id String CODEC(ZSTD),
  version UInt64 CODEC(Delta, ZSTD),
  received Int64 CODEC(Delta, ZSTD),
  parent_id Nullable(String) CODEC(ZSTD),
  start Int64 CODEC(Delta, ZSTD),
  start_nanos UInt16 CODEC(ZSTD),
  figures String CODEC(ZSTD),${FILTERED},
  record String CODEC(ZSTD(3)),
  record_bytes UInt32 CODEC(ZSTD),
  INDEX by_span_id span_id TYPE bloom_filter(0.001) GRANULARITY 4`,
  kept: {
    version: "version",
    orderBy: "project, trace_id, start, span_id",
    primaryKey: "project, trace_id, start",
    granularity: { rows: 1024, bytes: granuleBytes },
    wideFrom: 1024 ** 3,
  },
});

/** Spans by time, narrow, for lists and search. */
const spansByStart = ({ wordsIndex }: TableLayout): Table => ({
  name: "spans_by_start",
  columns: `
  project LowCardinality(String),
  start Int64 CODEC(Delta, ZSTD),
  ${START_NANOS},
  span_id String CODEC(ZSTD),
  trace_id String CODEC(ZSTD),
  version UInt64 CODEC(Delta, ZSTD),
  received Int64 CODEC(Delta, ZSTD),${FILTERED},
  cost Nullable(Float64),
  ${WORDS},
  ${FILTER_INDEX},
  INDEX by_words words TYPE ${wordsIndex}`,
  kept: { version: "version", orderBy: "project, start, span_id, trace_id" },
});

/** Which writes touched a trace: whether there are others is asked after every write. */
const COMMITS: Table = {
  name: "commits",
  columns: `
  project LowCardinality(String),
  trace_id String CODEC(ZSTD),
  version UInt64 CODEC(Delta, ZSTD),
  received Int64 CODEC(Delta, ZSTD),
  spans UInt32,
  bytes UInt64,
  INDEX by_version version TYPE minmax GRANULARITY 1,
  INDEX by_trace_id trace_id TYPE bloom_filter(0.001) GRANULARITY 1`,
  kept: {
    version: "version",
    orderBy: "project, trace_id, version",
    primaryKey: "project, trace_id",
    granularity: { rows: 1024 },
  },
};

/**
 * A trace's summary, by time. The version is that of the newest span it was made from, then how
 * many there were. A trace whose start has changed leaves a row marked as moved at the old one.
 *
 * The record is that of the top, where it was at hand and is short: a page of a list is one range.
 * Where it is empty, it is among the spans.
 */
const TRACES: Table = {
  name: "traces",
  columns: `
  project LowCardinality(String),
  start Int64 CODEC(Delta, ZSTD),
  ${START_NANOS},
  trace_id String CODEC(ZSTD),
  version UInt128,
  moved UInt8,
  received Int64 CODEC(Delta, ZSTD),
  written DateTime64(6, 'UTC') DEFAULT now64(6) CODEC(Delta, ZSTD),
  first_version UInt64 CODEC(Delta, ZSTD),
  spans UInt32,
  top_id String CODEC(ZSTD),
  total String CODEC(ZSTD),${FILTERED},
  cost Nullable(Float64),
  input_tokens Nullable(Float64),
  output_tokens Nullable(Float64),
  total_tokens Nullable(Float64),
  ${FAILED_SPANS},
  ${UNPRICED_CALLS},
  record String CODEC(ZSTD(3)),
  ${FILTER_INDEX},
  ${FAILED_INDEX},
  INDEX by_written written TYPE minmax GRANULARITY 1`,
  kept: {
    version: "version",
    orderBy: "project, start, trace_id",
    granularity: { rows: 1024, bytes: 512 * 1024 },
  },
};

/** Where in `traces` a trace is, and what its top shows. */
const TRACES_BY_ID: Table = {
  name: "traces_by_id",
  columns: `
  project LowCardinality(String),
  trace_id String CODEC(ZSTD),
  start Int64 CODEC(Delta, ZSTD),
  version UInt128,
  moved UInt8,
  received Int64 CODEC(Delta, ZSTD),
  written DateTime64(6, 'UTC') CODEC(Delta, ZSTD),
  spans UInt32,
  top_id String CODEC(ZSTD),
  total String CODEC(ZSTD),
  ${RUN},
  ${FAILED_SPANS},
  INDEX by_written written TYPE minmax GRANULARITY 1`,
  kept: {
    version: "version",
    orderBy: "project, trace_id, start",
    primaryKey: "project, trace_id",
    granularity: { rows: 1024 },
  },
};

/**
 * Judgements of spans, a row for each write. A score that is sent again another day is in another partition:
 * every read takes the latest.
 */
const SCORES: Table = {
  name: "scores",
  columns: `
  project LowCardinality(String),
  trace_id String CODEC(ZSTD),
  score_id String CODEC(ZSTD),
  version UInt64 CODEC(Delta, ZSTD),
  received Int64 CODEC(Delta, ZSTD),
  written DateTime64(6, 'UTC') DEFAULT now64(6) CODEC(Delta, ZSTD),
  span_id String CODEC(ZSTD),
  name LowCardinality(String),
  value Nullable(Float64),
  label Nullable(String) CODEC(ZSTD),
  status LowCardinality(String),
  created Int64 CODEC(Delta, ZSTD),
  record String CODEC(ZSTD(3)),
  INDEX by_name name TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_written written TYPE minmax GRANULARITY 1`,
  kept: {
    version: "version",
    orderBy: "project, trace_id, score_id",
    granularity: { rows: 1024 },
  },
};

function tables(layout: TableLayout): Table[] {
  return [INCOMING, spans(layout), spansByStart(layout), COMMITS, TRACES, TRACES_BY_ID, SCORES];
}

/** The tables that hold rows of traces. */
export const KEPT_TABLES = tables(LAYOUT)
  .filter((table) => table.kept !== null)
  .map(({ name }) => name);

interface View {
  readonly to: string;
  readonly from: string;
  readonly select: string;
}

const VIEWS: readonly View[] = [
  {
    to: "spans",
    from: "incoming",
    select: `project, trace_id, span_id, version, received, parent_id, start, start_nanos, figures, ${FILTERED_NAMES}, record, length(record) AS record_bytes`,
  },
  {
    to: "spans_by_start",
    from: "incoming",
    select: `project, start, start_nanos, span_id, trace_id, version, received, ${FILTERED_NAMES}, cost, words`,
  },
  {
    to: "traces_by_id",
    from: "traces",
    select:
      "project, trace_id, start, version, moved, received, written, spans, top_id, total, run, failed_spans",
  },
];

/** When a row arrived, as a moment that ClickHouse can count from. */
export const ARRIVAL = "toDateTime(intDiv(received, 1000000), 'UTC')";

/**
 * Every statement that makes the tables, in order; each may be run again, by several replicas at
 * once. On a cluster there is a replicated table on each shard behind a distributed one, which has
 * the name that is used; a trace has all of its rows on one shard.
 *
 * @param layout On a cluster whose tables are there, theirs: ClickHouse refuses a replica that differs.
 */
export function clickHouseSchema(
  address: Pick<ClickHouseAddress, "database" | "cluster">,
  layout = LAYOUT,
): readonly string[] {
  const { cluster } = address;
  const onCluster = cluster === null ? "" : ` ON CLUSTER ${quoted(cluster)}`;
  const place = (name: string) => `${quoted(address.database)}.${quoted(name)}`;
  const local = (name: string) => place(localName(address, name));
  const statements = [
    `CREATE TABLE IF NOT EXISTS ${local("schema_version")}${onCluster} (version UInt32)
ENGINE = ${engine(cluster, "MergeTree")}
ORDER BY version`,
  ];
  const all = tables(layout);
  for (const { name, columns, kept } of all) {
    const head = `CREATE TABLE IF NOT EXISTS ${local(name)}${onCluster} (${columns}\n)`;
    statements.push(
      kept === null ? `${head}\nENGINE = Null` : `${head}\n${storage(cluster, kept)}`,
    );
  }
  for (const { to, from, select } of VIEWS) {
    statements.push(
      `CREATE MATERIALIZED VIEW IF NOT EXISTS ${place(`${to}_view`)}${onCluster} TO ${local(to)}
AS SELECT ${select} FROM ${local(from)}`,
    );
  }
  statements.push(
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${place("commits_view")}${onCluster} TO ${local("commits")}
AS SELECT project, trace_id, version, any(received) AS received, count() AS spans,
  sum(length(record)) AS bytes
FROM ${local("incoming")} GROUP BY project, trace_id, version`,
  );
  if (cluster === null) return statements;
  for (const name of ["schema_version", ...all.map((table) => table.name)]) {
    const shard = name === "schema_version" ? "rand()" : "cityHash64(project, trace_id)";
    statements.push(
      `CREATE TABLE IF NOT EXISTS ${place(name)}${onCluster} AS ${local(name)}
ENGINE = Distributed(${quoted(cluster)}, ${quoted(address.database)}, ${quoted(localName(address, name))}, ${shard})`,
    );
  }
  return statements;
}

/** The columns that came later, with the column that each follows and the tables that have it. */
const LATER_COLUMNS = [
  { column: START_NANOS, after: "start", tables: ["spans_by_start", "traces"] },
  { column: RUN, after: "session_id", tables: ["incoming", "spans", "spans_by_start", "traces"] },
  { column: RUN, after: "total", tables: ["traces_by_id"] },
  { column: FAILED_SPANS, after: "total_tokens", tables: ["traces"] },
  { column: FAILED_SPANS, after: "run", tables: ["traces_by_id"] },
  { column: UNPRICED_CALLS, after: "failed_spans", tables: ["traces"] },
] as const;

/**
 * What takes tables of any earlier version to the present one; each may be run again, by several replicas at
 * once. Rows from before have 0 nanoseconds and no run. Tables that came later are made by
 * {@link clickHouseSchema}.
 */
export function clickHouseUpgrade(
  address: Pick<ClickHouseAddress, "database" | "cluster">,
): readonly string[] {
  const { cluster } = address;
  const onCluster = cluster === null ? "" : ` ON CLUSTER ${quoted(cluster)}`;
  const place = (name: string) => `${quoted(address.database)}.${quoted(name)}`;
  const added = LATER_COLUMNS.flatMap(({ column, after, tables }) =>
    tables
      .flatMap((name) => (cluster === null ? [name] : [localName(address, name), name]))
      .map(
        (name) =>
          `ALTER TABLE ${place(name)}${onCluster} ADD COLUMN IF NOT EXISTS ${column} AFTER ${after}`,
      ),
  );
  const indexed = `ALTER TABLE ${place(localName(address, "traces"))}${onCluster} ADD INDEX IF NOT EXISTS ${FAILED_INDEX.replace("INDEX ", "")}`;
  // Parts have it after their next merge.
  const compressed = `ALTER TABLE ${place(localName(address, "spans_by_start"))}${onCluster} MODIFY COLUMN ${WORDS}`;
  const selected = VIEWS.map(
    ({ to, from, select }) => `ALTER TABLE ${place(`${to}_view`)}${onCluster}
MODIFY QUERY SELECT ${select} FROM ${place(localName(address, from))}`,
  );
  return [...added, indexed, compressed, ...selected];
}

/** The table that holds the rows: on a cluster, the one on each shard. */
export function localName({ cluster }: Pick<ClickHouseAddress, "cluster">, name: string): string {
  return cluster === null ? name : `${name}_local`;
}

/** An identifier. Its letters were checked when the address was read. */
export function quoted(name: string): string {
  return `\`${name}\``;
}

function storage(cluster: string | null, kept: Kept): string {
  const { version, orderBy, primaryKey = orderBy } = kept;
  return [
    `ENGINE = ${engine(cluster, "ReplacingMergeTree", version)}`,
    `PARTITION BY toDate(${ARRIVAL})`,
    `PRIMARY KEY (${primaryKey})`,
    `ORDER BY (${orderBy})`,
    `SETTINGS ${settings(kept).join(", ")}`,
  ].join("\n");
}

function settings({ granularity: { rows, bytes } = {}, wideFrom }: Kept): string[] {
  return [
    ...(rows === undefined ? [] : [`index_granularity = ${rows}`]),
    ...(bytes === undefined ? [] : [`index_granularity_bytes = ${bytes}`]),
    ...(wideFrom === undefined ? [] : [`min_bytes_for_wide_part = ${wideFrom}`]),
    "ttl_only_drop_parts = 1",
    // An acknowledged row is on disk, even with a single replica.
    "fsync_after_insert = 1",
    "fsync_part_directory = 1",
  ];
}

function engine(cluster: string | null, name: string, ...parameters: string[]): string {
  if (cluster === null) return `${name}(${parameters.join(", ")})`;
  // By names, so that a replica that is added later finds the others; the cluster's is among them since
  // several clusters may share a Keeper.
  const path = `'/clickhouse/tables/${cluster}/{shard}/{database}/{table}'`;
  return `Replicated${name}(${[path, "'{replica}'", ...parameters].join(", ")})`;
}
