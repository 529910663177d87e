/** Tables that are cut into days. All rows of a trace are in the day of its first batch. */
export const TABLES_BY_DAY = ["segments", "spans", "texts", "long_texts"] as const;

const DIMENSION_COLUMNS = `
    application text COLLATE "C",
    route text COLLATE "C",
    variant text COLLATE "C",
    revision bigint,
    environment text COLLATE "C",
    user_id text COLLATE "C",
    session_id text COLLATE "C"`;

const SUMMARY = `
    start bigint NOT NULL,
    latency float8,
    name text COLLATE "C" NOT NULL,
    spankind text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,${DIMENSION_COLUMNS},
    cost float8`;

/** A column of a BRIN index that knows which values a range may have: of more, it excludes fewer. */
function bloom(column: string): string {
  return `${column} text_bloom_ops(n_distinct_per_range = ${column === "name" ? 200 : 32})`;
}

/** The words of a row, for the index: a list of words has no empty ones. */
const LIST_VECTOR = "array_to_tsvector(string_to_array(word_list, ' '))";

/**
 * Each entry takes the schema one version further. Entries are never changed once released, only
 * added.
 *
 * Values of any length are indexed by a hash of them: a row of an index holds 2,704 bytes at most.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- One row a trace: what lists, filters and analytics need, taken from its top span.
  CREATE TABLE agate.traces (
    trace_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    day date NOT NULL,
    project text COLLATE "C" NOT NULL,
    trace_id text COLLATE "C" NOT NULL,
    received bigint NOT NULL,
    -- The transactions that wrote it first and last, for those who watch.
    created xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
    segments integer NOT NULL,
    spans integer NOT NULL,
    -- How many spans the summary below was made from; less than \`spans\` while it is behind.
    summarised integer NOT NULL,
    -- Where the top's open record lies.
    top_segment integer NOT NULL,
    top_offset integer NOT NULL,
    top_length integer NOT NULL,${SUMMARY},
    input_tokens float8,
    output_tokens float8,
    total_tokens float8,
    total text NOT NULL
  );
  CREATE UNIQUE INDEX traces_by_id ON agate.traces (project, trace_id);
  CREATE INDEX traces_by_start ON agate.traces (project, start, trace_id);
  CREATE INDEX traces_by_arrival ON agate.traces (received, trace_no);
  CREATE INDEX traces_by_day ON agate.traces (day);
  CREATE INDEX traces_by_change ON agate.traces (changed, trace_no);
  CREATE INDEX traces_behind ON agate.traces (trace_no) WHERE summarised < spans;
  CREATE INDEX traces_by_user ON agate.traces (project, hashtextextended(user_id, 0), start) WHERE user_id IS NOT NULL;
  CREATE INDEX traces_by_session ON agate.traces (project, hashtextextended(session_id, 0), start) WHERE session_id IS NOT NULL;
  CREATE INDEX traces_by_application ON agate.traces (project, hashtextextended(application, 0), start) WHERE application IS NOT NULL;
  CREATE INDEX traces_by_route ON agate.traces (project, hashtextextended(route, 0), start) WHERE route IS NOT NULL;
  CREATE INDEX traces_by_variant ON agate.traces (project, hashtextextended(variant, 0), start) WHERE variant IS NOT NULL;
  CREATE INDEX traces_by_environment ON agate.traces (project, hashtextextended(environment, 0), start) WHERE environment IS NOT NULL;

  -- The spans of a trace that were committed together, numbered from \`first_span\` in the order of
  -- the header.
  CREATE TABLE agate.segments (
    day date NOT NULL,
    trace_no bigint NOT NULL,
    segment integer NOT NULL,
    first_span bigint NOT NULL,
    spans integer NOT NULL,
    header bytea NOT NULL,
    body bytea NOT NULL
  ) PARTITION BY RANGE (day);
  -- They are compressed already. PostgreSQL 14 and 15 do not take this with the columns.
  ALTER TABLE agate.segments ALTER header SET STORAGE EXTERNAL, ALTER body SET STORAGE EXTERNAL;
  CREATE INDEX segments_by_trace ON agate.segments (trace_no, segment);

  -- Each number is a block of numbers for spans: see number-spans.ts.
  CREATE SEQUENCE agate.span_blocks;

  -- One narrow row a span, for lists.
  CREATE TABLE agate.spans (
    day date NOT NULL,
    span_no bigint NOT NULL,
    trace_no bigint NOT NULL,
    segment integer NOT NULL,
    span_id text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,${SUMMARY}
  ) PARTITION BY RANGE (day);
  CREATE INDEX spans_by_no ON agate.spans (span_no);
  CREATE INDEX spans_by_id ON agate.spans (span_id);
  CREATE INDEX spans_by_start ON agate.spans (project, start, span_id);
  CREATE INDEX spans_by_user ON agate.spans (project, hashtextextended(user_id, 0), start) WHERE user_id IS NOT NULL;
  CREATE INDEX spans_by_session ON agate.spans (project, hashtextextended(session_id, 0), start) WHERE session_id IS NOT NULL;
  CREATE INDEX spans_by_route ON agate.spans (project, hashtextextended(route, 0), start) WHERE route IS NOT NULL;
  CREATE INDEX spans_failed ON agate.spans (project, start) WHERE status = 'ERROR';

  -- Places of segments, as JSON, whose texts are still to be indexed.
  CREATE TABLE agate.unindexed (
    unindexed_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    places text NOT NULL
  );

  -- Segments whose texts could not be indexed, and why, so that a later version can try them again.
  CREATE TABLE agate.unindexable (
    day date NOT NULL,
    trace_no bigint NOT NULL,
    segment integer NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (trace_no, segment)
  );
  CREATE INDEX unindexable_by_day ON agate.unindexable (day);

  -- The words of a span. Of a text that is too long for one row, the words of its parts.
  CREATE TABLE agate.texts (
    day date NOT NULL,
    span_no bigint NOT NULL,
    words tsvector NOT NULL
  ) PARTITION BY RANGE (day);
  CREATE INDEX texts_by_span ON agate.texts (span_no);
  CREATE INDEX texts_by_word ON agate.texts USING gin (words);
  CREATE TABLE agate.long_texts (LIKE agate.texts) PARTITION BY RANGE (day);
  CREATE INDEX long_texts_by_span ON agate.long_texts (span_no);
  CREATE INDEX long_texts_by_word ON agate.long_texts USING gin (words);

  -- Traces that are deleted (no row in \`traces\` any more) but whose rows still take up space. Those
  -- that have expired wait for their day to be dropped as a whole.
  CREATE TABLE agate.deleted_traces (
    trace_no bigint PRIMARY KEY,
    day date NOT NULL,
    has_expired boolean NOT NULL
  );
  CREATE INDEX deleted_traces_by_day ON agate.deleted_traces (day);
  `,
  `
  -- From here on headers of segments begin with a checksum, which older versions cannot read: see
  -- segment-checksum.ts. Those without one stay as they are.
  `,
  `
  -- Nanoseconds beyond \`start\`, for the order. In no index: what starts in one microsecond is few rows.
  ALTER TABLE agate.traces ADD COLUMN start_nanos smallint NOT NULL DEFAULT 0;
  ALTER TABLE agate.spans ADD COLUMN start_nanos smallint NOT NULL DEFAULT 0;
  -- Summaries of large traces were not made anew when spans were sent again.
  UPDATE agate.traces SET summarised = 0 WHERE spans > 2000;
  `,
  `
  -- Segments with records that later ones have superseded: see compact-segments.ts. Without a unique key,
  -- on which a writer would wait for the server that compacts.
  CREATE TABLE agate.superseded_segments (
    superseded_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    day date NOT NULL,
    trace_no bigint NOT NULL,
    segment integer NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX superseded_segments_by_age ON agate.superseded_segments (since);
  CREATE INDEX superseded_segments_by_trace ON agate.superseded_segments (trace_no, superseded_no);
  CREATE INDEX superseded_segments_by_day ON agate.superseded_segments (day);
  `,
  `
  -- Judgements of spans. By the trace's id, not its number: they may arrive before it.
  CREATE TABLE agate.scores (
    project text COLLATE "C" NOT NULL,
    trace_id text COLLATE "C" NOT NULL,
    score_id text COLLATE "C" NOT NULL,
    -- Empty: the top span of the trace.
    span_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value float8,
    label text COLLATE "C",
    status text COLLATE "C" NOT NULL,
    created bigint NOT NULL,
    received bigint NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (project, trace_id, score_id)
  );
  CREATE INDEX scores_by_name ON agate.scores (project, name, status, value);
  CREATE INDEX scores_by_arrival ON agate.scores (received);
  `,
  `
  -- The evaluation run of a trace. Lists and figures leave such traces out unless asked.
  ALTER TABLE agate.traces ADD COLUMN run text COLLATE "C";
  ALTER TABLE agate.spans ADD COLUMN run text COLLATE "C";
  CREATE INDEX traces_live ON agate.traces (project, start, trace_id) WHERE run IS NULL;
  CREATE INDEX traces_evaluated ON agate.traces (project, start, trace_id) WHERE run IS NOT NULL;
  CREATE INDEX traces_by_run ON agate.traces (project, hashtextextended(run, 0), start) WHERE run IS NOT NULL;
  `,
  `
  -- How many spans of a trace failed: its top may be fine. Lists show it after the total.
  ALTER TABLE agate.traces ADD COLUMN failed_spans integer NOT NULL DEFAULT 0;
  UPDATE agate.traces t SET failed_spans = f.n, total = total || ',"failed_spans":' || f.n
  FROM (SELECT trace_no, count(*) AS n FROM agate.spans WHERE status = 'ERROR' GROUP BY trace_no) AS f
  WHERE t.trace_no = f.trace_no;
  CREATE INDEX traces_failed ON agate.traces (project, start, trace_id) WHERE failed_spans > 0;
  `,
  `
  -- Content that came in log records, by its span: indexing looks for it in every trace, most of which have none.
  CREATE INDEX scores_logged ON agate.scores (project, trace_id, span_id) WHERE name = ':content';
  -- Spans for which content was logged, whose words are still to be indexed with it.
  CREATE TABLE agate.unindexed_contents (
    unindexed_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project text COLLATE "C" NOT NULL,
    trace_id text COLLATE "C" NOT NULL,
    span_id text COLLATE "C" NOT NULL
  );
  INSERT INTO agate.unindexed_contents (project, trace_id, span_id)
  SELECT DISTINCT project, trace_id, span_id FROM agate.scores WHERE name = ':content';
  `,
  `
  -- How many model calls of a trace have tokens but no cost: \`cost\` is of the others.
  ALTER TABLE agate.traces ADD COLUMN unpriced_calls integer NOT NULL DEFAULT 0;
  -- Traces from before that may have such a call are left to be summarised anew, one after the other.
  UPDATE agate.traces SET summarised = 0 WHERE total NOT LIKE '{"usage":null,%' AND (cost IS NULL OR trace_no IN (
    SELECT trace_no FROM agate.spans WHERE cost IS NULL AND spankind IN ('LLM', 'EMBEDDING', 'RERANKER')));
  `,
  `
  -- Of a segment whose body is a zstd frame of its trace's whole answer: the checksum of the trace's id and of the
  -- body as it is stored, so that it can be sent without unpacking it. Null in segments of earlier versions.
  ALTER TABLE agate.segments ADD COLUMN answer_sum integer;
  `,
  `
  -- When texts were left to be indexed, and whether batches were waiting then: see index-rest.ts.
  ALTER TABLE agate.unindexed ADD COLUMN noted timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN is_saturated boolean NOT NULL DEFAULT false;
  `,
  `
  -- From here on a row of words is of a segment, and its span_no is the first of the segment. It has those texts that
  -- no other segment of its group has: see segment-texts.ts. A row without a segment is of one span.
  ALTER TABLE agate.texts ADD COLUMN trace_no bigint, ADD COLUMN segment integer;
  ALTER TABLE agate.long_texts ADD COLUMN trace_no bigint, ADD COLUMN segment integer;
  -- Whether segments may be indexed already, as when spans of them were replaced.
  ALTER TABLE agate.unindexed ADD COLUMN is_again boolean NOT NULL DEFAULT false;
  -- How often that was done: what servers remember of the texts of a trace holds until then.
  ALTER TABLE agate.traces ADD COLUMN indexed_again integer NOT NULL DEFAULT 0;

  -- The rows that have words, by the index. PostgreSQL would rather read all of them: it sees how small they are, and
  -- not that their words lie elsewhere.
  CREATE OR REPLACE FUNCTION agate.texts_with(query tsquery, most integer)
  RETURNS TABLE (day date, span_no bigint, trace_no bigint, segment integer)
  LANGUAGE sql STABLE SET enable_seqscan = off
  AS 'SELECT day, span_no, trace_no, segment FROM agate.texts WHERE words @@ query LIMIT most';
  CREATE OR REPLACE FUNCTION agate.long_texts_with(query tsquery)
  RETURNS TABLE (day date, span_no bigint, trace_no bigint, segment integer)
  LANGUAGE sql STABLE SET enable_seqscan = off
  AS 'SELECT day, span_no, trace_no, segment FROM agate.long_texts WHERE words @@ query';
  `,
  `
  -- What some hundred rows have together, so that a list by what few rows have, or none, skips those that cannot match.
  -- A filter has a fixed size, which must be small: an entry of the index has to fit into a page.
  CREATE INDEX spans_by_values ON agate.spans USING brin (latency, cost, ${["name", "spankind", "status", "application", "variant", "environment"].map(bloom).join(", ")},
    revision int8_bloom_ops(n_distinct_per_range = 32)) WITH (pages_per_range = 32, autosummarize = on);
  CREATE INDEX traces_by_values ON agate.traces USING brin (latency, cost, ${["name", "spankind", "status"].map(bloom).join(", ")},
    revision int8_bloom_ops(n_distinct_per_range = 32)) WITH (pages_per_range = 32, autosummarize = on);
  `,
  `
  -- From here on a row has its words in their order as a text, in place of a tsvector with their places: a third of
  -- the bytes, as PostgreSQL can compress it. See word-lists.ts.
  ALTER TABLE agate.texts ADD COLUMN word_list text COLLATE "C", ALTER COLUMN words DROP NOT NULL;
  ALTER TABLE agate.long_texts ADD COLUMN word_list text COLLATE "C", ALTER COLUMN words DROP NOT NULL;
  CREATE INDEX texts_by_list ON agate.texts USING gin (${LIST_VECTOR}) WHERE word_list IS NOT NULL;
  CREATE INDEX long_texts_by_list ON agate.long_texts USING gin (${LIST_VECTOR}) WHERE word_list IS NOT NULL;
  -- Without statistics, for which the vectors of 30,000 rows would be made now and then. New days: makeDay().
  DO $$DECLARE name regclass; BEGIN
    FOR name IN SELECT x.indexrelid FROM pg_catalog.pg_index x JOIN pg_catalog.pg_inherits h ON h.inhrelid = x.indexrelid
      WHERE h.inhparent IN ('agate.texts_by_list'::regclass, 'agate.long_texts_by_list'::regclass)
    LOOP EXECUTE format('ALTER INDEX %s ALTER COLUMN 1 SET STATISTICS 0', name); END LOOP;
  END$$;

  -- As texts_with and long_texts_with, which find the rows of earlier versions.
  CREATE OR REPLACE FUNCTION agate.lists_with(every tsquery, phrase text, most integer)
  RETURNS TABLE (day date, span_no bigint, trace_no bigint, segment integer)
  LANGUAGE sql STABLE SET enable_seqscan = off
  AS $$SELECT day, span_no, trace_no, segment FROM agate.texts
    WHERE word_list IS NOT NULL AND ${LIST_VECTOR} @@ every AND (phrase IS NULL OR strpos(word_list, phrase) > 0) LIMIT most$$;
  CREATE OR REPLACE FUNCTION agate.long_lists_with(every tsquery, phrase text)
  RETURNS TABLE (day date, span_no bigint, trace_no bigint, segment integer)
  LANGUAGE sql STABLE SET enable_seqscan = off
  AS $$SELECT day, span_no, trace_no, segment FROM agate.long_texts
    WHERE word_list IS NOT NULL AND ${LIST_VECTOR} @@ every AND (phrase IS NULL OR strpos(word_list, phrase) > 0)$$;
  `,
  `
  -- Without the id of the span, which did not give the order either: nanoseconds come before it.
  CREATE INDEX spans_by_time ON agate.spans (project, start);
  DROP INDEX agate.spans_by_start;
  `,
  `
  -- A hash takes half of what an id of 16 digits does.
  DROP INDEX agate.spans_by_id;
  CREATE INDEX spans_by_id ON agate.spans (hashtextextended(span_id, 0));
  -- By a key that the spans of a segment share, which the index then has once.
  CREATE INDEX spans_by_segment ON agate.spans (trace_no, segment);
  DROP INDEX agate.spans_by_no;
  -- Without the id of the trace, which did not give the order either.
  DROP INDEX agate.traces_by_start, agate.traces_live, agate.traces_evaluated, agate.traces_failed;
  CREATE INDEX traces_by_start ON agate.traces (project, start);
  CREATE INDEX traces_live ON agate.traces (project, start) WHERE run IS NULL;
  CREATE INDEX traces_evaluated ON agate.traces (project, start) WHERE run IS NOT NULL;
  CREATE INDEX traces_failed ON agate.traces (project, start) WHERE failed_spans > 0;
  `,
  `
  -- What some thousand spans have together, and their traces, so that a list by several values reads only those that
  -- may have all of them: see zone-filler.ts. In the order in which writers lock them. An indexer locks them the other
  -- way round: migrate() tries again where it loses a deadlock against one.
  LOCK TABLE agate.traces, agate.unindexed IN SHARE ROW EXCLUSIVE MODE;
  -- The segments of a zone, as runs: of all traces from one number to another, the segments from one to another.
  CREATE TABLE agate.zones (
    zone_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    day date NOT NULL,
    first_traces bigint[] NOT NULL,
    last_traces bigint[] NOT NULL,
    first_segments integer[] NOT NULL,
    last_segments integer[] NOT NULL
  );
  -- Bounds of the rows of a subset; the columns of marks have bits by a hash of each value. The subset -1 has all rows
  -- of a project with few, of spans and of traces, and \`of_traces\` is false.
  CREATE TABLE agate.zone_bounds (
    zone_no bigint NOT NULL,
    first_start bigint NOT NULL,
    last_start bigint NOT NULL,
    latency float8 NOT NULL,
    cost float8 NOT NULL,
    spankind integer NOT NULL,
    status integer NOT NULL,
    application integer NOT NULL,
    route integer NOT NULL,
    variant integer NOT NULL,
    revision integer NOT NULL,
    environment integer NOT NULL,
    subset smallint NOT NULL,
    of_traces boolean NOT NULL,
    project text COLLATE "C" NOT NULL
  );
  CREATE INDEX zone_bounds_by_start ON agate.zone_bounds (project, of_traces, subset, last_start);
  CREATE INDEX zone_bounds_by_zone ON agate.zone_bounds (zone_no);

  -- Places of segments that are in no zone yet, as JSON, and about how many spans these are.
  CREATE TABLE agate.unzoned (
    unzoned_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    places text NOT NULL,
    spans integer NOT NULL
  );
  -- Traces up to this number were there before, and are still to be added, from the last to the first.
  CREATE TABLE agate.zone_progress AS SELECT coalesce(max(trace_no), 0) AS earlier FROM agate.traces;

  -- By triggers, so that servers of the version before leave their segments, too, while both run.
  ALTER TABLE agate.unindexed ADD COLUMN spans integer NOT NULL DEFAULT 1000;
  CREATE FUNCTION agate.leave_segments_unzoned() RETURNS trigger LANGUAGE plpgsql
  AS $$BEGIN
    INSERT INTO agate.unzoned (places, spans) SELECT places, spans FROM fresh WHERE NOT is_again;
    RETURN NULL;
  END$$;
  CREATE TRIGGER segments_unzoned AFTER INSERT ON agate.unindexed
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION agate.leave_segments_unzoned();
  -- A summary that is made after its spans were committed changes the row of the trace.
  CREATE FUNCTION agate.leave_trace_unzoned() RETURNS trigger LANGUAGE plpgsql
  AS $$BEGIN
    INSERT INTO agate.unzoned (places, spans)
    VALUES (format('[[%s,%s,%s]]', NEW.day - date '1970-01-01', NEW.trace_no, NEW.top_segment), 1);
    RETURN NULL;
  END$$;
  CREATE TRIGGER summary_unzoned AFTER UPDATE OF summarised ON agate.traces FOR EACH ROW
    WHEN (NEW.summarised > 0 AND NEW.changed <> pg_current_xact_id()) EXECUTE FUNCTION agate.leave_trace_unzoned();
  `,
];
