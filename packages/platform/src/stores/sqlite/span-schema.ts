import type { DatabaseSync } from "node:sqlite";

/** Marks a database file as ours ("AGAT"), so that a foreign file is refused and not written to. */
export const APPLICATION_ID = 0x41474154;

/** A trace's segments have the row ids `trace_no * SEGMENTS_PER_TRACE + 0, 1, 2 …`. */
export const SEGMENTS_PER_TRACE = 2 ** 20;

/** First segment row of a trace, and the first one past it. */
export function segmentRange(traceNo: number): [number, number] {
  return [traceNo * SEGMENTS_PER_TRACE, (traceNo + 1) * SEGMENTS_PER_TRACE];
}

/** The number of a segment within its trace, as rows of `spans` have it. */
export function numberInTrace(segment: number): number {
  return segment % SEGMENTS_PER_TRACE;
}

/**
 * SQL for the segment of a row of `spans`. Rows have its number within the trace, which takes no byte where it is 0
 * or 1. Earlier versions wrote all of it, of which that number is the remainder.
 */
export function segmentOf(spans: string): string {
  return `(${spans}.trace_no * ${SEGMENTS_PER_TRACE} + ${spans}.segment % ${SEGMENTS_PER_TRACE})`;
}

/**
 * Each entry takes the schema one version further; `user_version` counts them. Entries are never
 * changed once released, only added.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- One row a trace: what lists, filters and analytics need, taken from its top span.
  CREATE TABLE traces (
    trace_no INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    received INTEGER NOT NULL,
    segments INTEGER NOT NULL,
    spans INTEGER NOT NULL,
    -- How many spans the summary below was made from; less than \`spans\` while it is behind.
    summarised INTEGER NOT NULL,
    -- Where the top's open record lies; the segment is counted from the trace's first.
    top_segment INTEGER NOT NULL,
    top_offset INTEGER NOT NULL,
    top_length INTEGER NOT NULL,
    start INTEGER NOT NULL,
    latency REAL,
    name TEXT NOT NULL,
    spankind TEXT NOT NULL,
    status TEXT NOT NULL,
    application TEXT,
    variant TEXT,
    environment TEXT,
    user_id TEXT,
    session_id TEXT,
    cost REAL,
    input_tokens REAL,
    output_tokens REAL,
    total_tokens REAL,
    total TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX traces_by_id ON traces (project, trace_id);
  CREATE INDEX traces_by_start ON traces (project, start);
  CREATE INDEX traces_by_arrival ON traces (received);
  CREATE INDEX traces_by_user ON traces (project, user_id, start) WHERE user_id IS NOT NULL;
  CREATE INDEX traces_by_session ON traces (project, session_id, start) WHERE session_id IS NOT NULL;
  CREATE INDEX traces_behind ON traces (trace_no) WHERE summarised < spans;

  -- The spans of a trace that were committed together. The body comes last: SQLite then reads
  -- headers without touching it.
  CREATE TABLE segments (
    segment INTEGER PRIMARY KEY,
    header TEXT NOT NULL,
    body BLOB NOT NULL
  ) STRICT;

  -- One narrow row a span, for lists. Every index here grows at its end: an index by span id alone,
  -- whose order is random, would cost more than all the rest (see span-indexer.ts).
  CREATE TABLE spans (
    span_no INTEGER PRIMARY KEY AUTOINCREMENT,
    trace_no INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    span_id TEXT NOT NULL,
    project TEXT NOT NULL,
    start INTEGER NOT NULL,
    latency REAL,
    name TEXT NOT NULL,
    spankind TEXT NOT NULL,
    status TEXT NOT NULL,
    application TEXT,
    variant TEXT,
    environment TEXT,
    user_id TEXT,
    session_id TEXT,
    cost REAL
  ) STRICT;
  CREATE UNIQUE INDEX spans_by_trace ON spans (trace_no, span_id);
  CREATE INDEX spans_by_start ON spans (project, start);
  CREATE INDEX spans_by_user ON spans (project, user_id, start) WHERE user_id IS NOT NULL;
  CREATE INDEX spans_by_session ON spans (project, session_id, start) WHERE session_id IS NOT NULL;
  CREATE INDEX spans_failed ON spans (project, start) WHERE status = 'ERROR';

  -- Traces that are deleted (no row in \`traces\` any more) but whose rows still take up space, and
  -- spans that the index has yet to forget.
  CREATE TABLE deleted_traces (trace_no INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE deleted_spans (span_no INTEGER PRIMARY KEY, span_id TEXT NOT NULL) STRICT;
  `,
  `
  -- Before there were projects, everything belonged to one without a name.
  UPDATE traces SET project = 'default' WHERE project = '';
  UPDATE spans SET project = 'default' WHERE project = '';
  `,
  `
  ALTER TABLE traces ADD COLUMN route TEXT;
  ALTER TABLE traces ADD COLUMN revision INTEGER;
  ALTER TABLE spans ADD COLUMN route TEXT;
  ALTER TABLE spans ADD COLUMN revision INTEGER;
  -- Segments from before, whose spans still lack these: those from \`next\` up to \`end\`. A row, or
  -- none when all are filled in (see older-spans.ts).
  CREATE TABLE older_segments (next INTEGER NOT NULL, end INTEGER NOT NULL) STRICT;
  INSERT INTO older_segments SELECT 0, max(segment) + 1 FROM segments HAVING max(segment) > 0;
  `,
  `
  -- Without them, a rare value makes a list walk through all traces. Spans have the one that few of
  -- them need: an index that every span is in costs ingest too much.
  CREATE INDEX traces_by_application ON traces (project, application, start) WHERE application IS NOT NULL;
  CREATE INDEX traces_by_route ON traces (project, route, start) WHERE route IS NOT NULL;
  CREATE INDEX traces_by_variant ON traces (project, variant, start) WHERE variant IS NOT NULL;
  CREATE INDEX traces_by_environment ON traces (project, environment, start) WHERE environment IS NOT NULL;
  CREATE INDEX spans_by_route ON spans (project, route, start) WHERE route IS NOT NULL;
  `,
  `
  -- From here on headers of segments begin with a checksum, which older versions cannot read: see
  -- segment-checksum.ts. Those without one stay as they are.
  `,
  `
  -- Nanoseconds beyond \`start\`, for the order. In no index: what starts in one microsecond is few rows.
  ALTER TABLE traces ADD COLUMN start_nanos INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE spans ADD COLUMN start_nanos INTEGER NOT NULL DEFAULT 0;
  -- Summaries of large traces were not made anew when spans were sent again.
  UPDATE traces SET summarised = 0 WHERE spans > 2000;
  `,
  `
  -- Segments with records that later ones have superseded since they were last looked at: see
  -- segment-compactor.ts.
  CREATE TABLE superseded_segments (segment INTEGER PRIMARY KEY) STRICT;
  `,
  `
  -- Judgements of spans. By the trace's id, not its number: they may arrive before it.
  CREATE TABLE scores (
    project TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    score_id TEXT NOT NULL,
    -- Empty: the top span of the trace.
    span_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value REAL,
    label TEXT,
    status TEXT NOT NULL,
    created INTEGER NOT NULL,
    received INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (project, trace_id, score_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX scores_by_name ON scores (project, name, status, value);
  CREATE INDEX scores_by_arrival ON scores (received);
  `,
  `
  -- The evaluation run of a trace. Lists and figures leave such traces out unless asked.
  ALTER TABLE traces ADD COLUMN run TEXT;
  ALTER TABLE spans ADD COLUMN run TEXT;
  CREATE INDEX traces_live ON traces (project, start) WHERE run IS NULL;
  -- Not \`IS NOT NULL\`, for which SQLite would rather take the index by run, and sort.
  CREATE INDEX traces_evaluated ON traces (project, start) WHERE (run IS NULL) = 0;
  CREATE INDEX traces_by_run ON traces (project, run, start) WHERE run IS NOT NULL;
  `,
  `
  -- How many spans of a trace failed: its top may be fine. Lists show it after the total.
  ALTER TABLE traces ADD COLUMN failed_spans INTEGER NOT NULL DEFAULT 0;
  UPDATE traces SET failed_spans = f.n, total = total || ',"failed_spans":' || f.n
  FROM (SELECT trace_no, count(*) AS n FROM spans INDEXED BY spans_failed WHERE status = 'ERROR' GROUP BY trace_no) AS f
  WHERE traces.trace_no = f.trace_no;
  CREATE INDEX traces_failed ON traces (project, start) WHERE failed_spans > 0;
  `,
  `
  -- A trace that grows is counted at every commit, which should not read all of its spans. Few spans are in it.
  CREATE INDEX spans_failed_by_trace ON spans (trace_no) WHERE status = 'ERROR';
  `,
  `
  -- Spans with content that came in log records, for the index of words: a new number means that there is more
  -- of it. By the trace's id, not its number: it may arrive before it.
  CREATE TABLE logged_spans (
    logged_no INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    span_id TEXT NOT NULL,
    UNIQUE (project, trace_id, span_id)
  ) STRICT;
  INSERT INTO logged_spans (project, trace_id, span_id)
  SELECT DISTINCT project, trace_id, span_id FROM scores WHERE name = ':content';
  `,
  `
  -- How many model calls of a trace have tokens but no cost: \`cost\` is of the others.
  ALTER TABLE traces ADD COLUMN unpriced_calls INTEGER NOT NULL DEFAULT 0;
  -- Traces from before with such a call are left to be summarised anew, one after the other: the role and
  -- the missing cost are where a header has the figures of a span.
  UPDATE traces SET summarised = 0 WHERE total NOT LIKE '{"usage":null,%' AND EXISTS (
    SELECT 1 FROM segments WHERE segment >= trace_no * 1048576 AND segment < (trace_no + 1) * 1048576
      AND (header LIKE '%,[0,null,%' OR header LIKE '%,[1,null,%'));
  `,
  `
  -- Bodies may be zstd frames from here on. The trace that is to be packed next, in the order of \`received\`,
  -- and the last segment of it that was: see trace-merger.ts.
  CREATE TABLE merge_progress (
    received INTEGER NOT NULL,
    trace_no INTEGER NOT NULL,
    segment INTEGER NOT NULL
  ) STRICT;
  INSERT INTO merge_progress VALUES (-9007199254740991, -1, -1);
  `,
  `
  -- The index has documents of traces: it must know which of them a deleted span was in.
  ALTER TABLE deleted_spans ADD COLUMN trace_no INTEGER;
  `,
  `
  -- Bounds of what rows have whose numbers follow each other: see zone-map.ts.
  CREATE TABLE trace_zones (
    zone INTEGER NOT NULL,
    project TEXT NOT NULL,
    first_start INTEGER NOT NULL,
    last_start INTEGER NOT NULL,
    latency REAL NOT NULL,
    cost REAL NOT NULL,
    spankind INTEGER NOT NULL,
    status INTEGER NOT NULL,
    application INTEGER NOT NULL,
    route INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    environment INTEGER NOT NULL,
    PRIMARY KEY (zone, project)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trace_zones_by_start ON trace_zones (project, last_start);
  CREATE TABLE span_zones (
    zone INTEGER NOT NULL,
    project TEXT NOT NULL,
    first_start INTEGER NOT NULL,
    last_start INTEGER NOT NULL,
    latency REAL NOT NULL,
    cost REAL NOT NULL,
    spankind INTEGER NOT NULL,
    status INTEGER NOT NULL,
    application INTEGER NOT NULL,
    route INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    environment INTEGER NOT NULL,
    PRIMARY KEY (zone, project)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX span_zones_by_start ON span_zones (project, last_start);
  -- The last trace, and the last span, that the zones lack: those from before. No row when they have all.
  CREATE TABLE unzoned (traces INTEGER NOT NULL, spans INTEGER NOT NULL) STRICT;
  INSERT INTO unzoned
  SELECT (SELECT coalesce(max(trace_no), 0) FROM traces), max(span_no) FROM spans HAVING max(span_no) > 0;
  `,
  `
  -- Zones with bounds of their subsets, too.
  DROP TABLE trace_zones;
  DROP TABLE span_zones;
  CREATE TABLE trace_zones (
    zone INTEGER NOT NULL,
    project TEXT NOT NULL,
    subset INTEGER NOT NULL,
    first_start INTEGER NOT NULL,
    last_start INTEGER NOT NULL,
    latency REAL NOT NULL,
    cost REAL NOT NULL,
    spankind INTEGER NOT NULL,
    status INTEGER NOT NULL,
    application INTEGER NOT NULL,
    route INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    environment INTEGER NOT NULL,
    PRIMARY KEY (zone, project, subset)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trace_zones_by_start ON trace_zones (project, subset, last_start);
  CREATE TABLE span_zones (
    zone INTEGER NOT NULL,
    project TEXT NOT NULL,
    subset INTEGER NOT NULL,
    first_start INTEGER NOT NULL,
    last_start INTEGER NOT NULL,
    latency REAL NOT NULL,
    cost REAL NOT NULL,
    spankind INTEGER NOT NULL,
    status INTEGER NOT NULL,
    application INTEGER NOT NULL,
    route INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    environment INTEGER NOT NULL,
    PRIMARY KEY (zone, project, subset)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX span_zones_by_start ON span_zones (project, subset, last_start);
  DELETE FROM unzoned;
  INSERT INTO unzoned
  SELECT (SELECT coalesce(max(trace_no), 0) FROM traces), max(span_no) FROM spans HAVING max(span_no) > 0;
  `,
  `
  -- From here on headers of packed segments have a form that earlier versions cannot read: see packed-header.ts.
  -- Those that they packed stay as they are. New rows of spans have the number of their segment within the trace.
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings the database to {@link SCHEMA_VERSION}: all of a step or nothing of it. A new database takes all steps at
 * once, as each waits for the disk several times and has no rows to change.
 */
export function migrate(db: DatabaseSync, migrations: readonly string[] = MIGRATIONS): void {
  const version = userVersion(db);
  const steps = migrations.slice(version).map((text, n) => ({ text, to: version + n + 1 }));
  const commits = version === 0 ? [steps] : steps.map((step) => [step]);
  for (const together of commits) {
    db.exec("BEGIN IMMEDIATE");
    try {
      for (const { text, to } of together) db.exec(`${text}; PRAGMA user_version = ${to}`);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      db.exec("COMMIT");
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
    // The version must be in the file itself, where the next start looks before it opens it.
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
}

function userVersion(db: DatabaseSync): number {
  return (db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}
