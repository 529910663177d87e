import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { wordsText } from "../search/words-text.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { clickHouseSchema, clickHouseUpgrade, EARLIER_LAYOUTS } from "./clickhouse-schema.ts";

const engine = openChdbEngine();
const client = engine.connect();
afterAll(async () => {
  await client.close();
  await engine.dispose();
});

/** A statement without its columns: what it makes, where, and how it is kept. */
function outline(statement: string): string {
  return statement
    .replace(/\((?:version UInt32|\n[\s\S]*?\n)\)/, "(…)")
    .replace(/SELECT[\s\S]*?(?=\s+FROM)/, "SELECT …")
    .replace(/\s+/g, " ");
}

it("makes the tables of one server", () => {
  expect(
    clickHouseSchema({ database: "agate", cluster: null }).map(outline),
  ).toMatchInlineSnapshot(`
    [
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`schema_version\` (…) ENGINE = MergeTree() ORDER BY version",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`incoming\` (…) ENGINE = Null",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`spans\` (…) ENGINE = ReplacingMergeTree(version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, trace_id, start) ORDER BY (project, trace_id, start, span_id) SETTINGS index_granularity = 1024, index_granularity_bytes = 1048576, min_bytes_for_wide_part = 1073741824, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`spans_by_start\` (…) ENGINE = ReplacingMergeTree(version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, start, span_id, trace_id) ORDER BY (project, start, span_id, trace_id) SETTINGS ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`commits\` (…) ENGINE = ReplacingMergeTree(version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, trace_id) ORDER BY (project, trace_id, version) SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`traces\` (…) ENGINE = ReplacingMergeTree(version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, start, trace_id) ORDER BY (project, start, trace_id) SETTINGS index_granularity = 1024, index_granularity_bytes = 524288, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`traces_by_id\` (…) ENGINE = ReplacingMergeTree(version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, trace_id) ORDER BY (project, trace_id, start) SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`scores\` (…) ENGINE = ReplacingMergeTree(version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, trace_id, score_id) ORDER BY (project, trace_id, score_id) SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE MATERIALIZED VIEW IF NOT EXISTS \`agate\`.\`spans_view\` TO \`agate\`.\`spans\` AS SELECT … FROM \`agate\`.\`incoming\`",
      "CREATE MATERIALIZED VIEW IF NOT EXISTS \`agate\`.\`spans_by_start_view\` TO \`agate\`.\`spans_by_start\` AS SELECT … FROM \`agate\`.\`incoming\`",
      "CREATE MATERIALIZED VIEW IF NOT EXISTS \`agate\`.\`traces_by_id_view\` TO \`agate\`.\`traces_by_id\` AS SELECT … FROM \`agate\`.\`traces\`",
      "CREATE MATERIALIZED VIEW IF NOT EXISTS \`agate\`.\`commits_view\` TO \`agate\`.\`commits\` AS SELECT … FROM \`agate\`.\`incoming\` GROUP BY project, trace_id, version",
    ]
  `);
});

it("makes replicated tables on every shard of a cluster, and distributed ones in front", () => {
  expect(
    clickHouseSchema({ database: "agate", cluster: "main-1" }).map(outline),
  ).toMatchInlineSnapshot(`
    [
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`schema_version_local\` ON CLUSTER \`main-1\` (…) ENGINE = ReplicatedMergeTree('/clickhouse/tables/main-1/{shard}/{database}/{table}', '{replica}') ORDER BY version",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`incoming_local\` ON CLUSTER \`main-1\` (…) ENGINE = Null",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`spans_local\` ON CLUSTER \`main-1\` (…) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/main-1/{shard}/{database}/{table}', '{replica}', version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, trace_id, start) ORDER BY (project, trace_id, start, span_id) SETTINGS index_granularity = 1024, index_granularity_bytes = 1048576, min_bytes_for_wide_part = 1073741824, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`spans_by_start_local\` ON CLUSTER \`main-1\` (…) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/main-1/{shard}/{database}/{table}', '{replica}', version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, start, span_id, trace_id) ORDER BY (project, start, span_id, trace_id) SETTINGS ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`commits_local\` ON CLUSTER \`main-1\` (…) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/main-1/{shard}/{database}/{table}', '{replica}', version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, trace_id) ORDER BY (project, trace_id, version) SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`traces_local\` ON CLUSTER \`main-1\` (…) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/main-1/{shard}/{database}/{table}', '{replica}', version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, start, trace_id) ORDER BY (project, start, trace_id) SETTINGS index_granularity = 1024, index_granularity_bytes = 524288, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`traces_by_id_local\` ON CLUSTER \`main-1\` (…) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/main-1/{shard}/{database}/{table}', '{replica}', version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, trace_id) ORDER BY (project, trace_id, start) SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`scores_local\` ON CLUSTER \`main-1\` (…) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/main-1/{shard}/{database}/{table}', '{replica}', version) PARTITION BY toDate(toDateTime(intDiv(received, 1000000), 'UTC')) PRIMARY KEY (project, trace_id, score_id) ORDER BY (project, trace_id, score_id) SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1",
      "CREATE MATERIALIZED VIEW IF NOT EXISTS \`agate\`.\`spans_view\` ON CLUSTER \`main-1\` TO \`agate\`.\`spans_local\` AS SELECT … FROM \`agate\`.\`incoming_local\`",
      "CREATE MATERIALIZED VIEW IF NOT EXISTS \`agate\`.\`spans_by_start_view\` ON CLUSTER \`main-1\` TO \`agate\`.\`spans_by_start_local\` AS SELECT … FROM \`agate\`.\`incoming_local\`",
      "CREATE MATERIALIZED VIEW IF NOT EXISTS \`agate\`.\`traces_by_id_view\` ON CLUSTER \`main-1\` TO \`agate\`.\`traces_by_id_local\` AS SELECT … FROM \`agate\`.\`traces_local\`",
      "CREATE MATERIALIZED VIEW IF NOT EXISTS \`agate\`.\`commits_view\` ON CLUSTER \`main-1\` TO \`agate\`.\`commits_local\` AS SELECT … FROM \`agate\`.\`incoming_local\` GROUP BY project, trace_id, version",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`schema_version\` ON CLUSTER \`main-1\` AS \`agate\`.\`schema_version_local\` ENGINE = Distributed(\`main-1\`, \`agate\`, \`schema_version_local\`, rand())",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`incoming\` ON CLUSTER \`main-1\` AS \`agate\`.\`incoming_local\` ENGINE = Distributed(\`main-1\`, \`agate\`, \`incoming_local\`, cityHash64(project, trace_id))",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`spans\` ON CLUSTER \`main-1\` AS \`agate\`.\`spans_local\` ENGINE = Distributed(\`main-1\`, \`agate\`, \`spans_local\`, cityHash64(project, trace_id))",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`spans_by_start\` ON CLUSTER \`main-1\` AS \`agate\`.\`spans_by_start_local\` ENGINE = Distributed(\`main-1\`, \`agate\`, \`spans_by_start_local\`, cityHash64(project, trace_id))",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`commits\` ON CLUSTER \`main-1\` AS \`agate\`.\`commits_local\` ENGINE = Distributed(\`main-1\`, \`agate\`, \`commits_local\`, cityHash64(project, trace_id))",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`traces\` ON CLUSTER \`main-1\` AS \`agate\`.\`traces_local\` ENGINE = Distributed(\`main-1\`, \`agate\`, \`traces_local\`, cityHash64(project, trace_id))",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`traces_by_id\` ON CLUSTER \`main-1\` AS \`agate\`.\`traces_by_id_local\` ENGINE = Distributed(\`main-1\`, \`agate\`, \`traces_by_id_local\`, cityHash64(project, trace_id))",
      "CREATE TABLE IF NOT EXISTS \`agate\`.\`scores\` ON CLUSTER \`main-1\` AS \`agate\`.\`scores_local\` ENGINE = Distributed(\`main-1\`, \`agate\`, \`scores_local\`, cityHash64(project, trace_id))",
    ]
  `);
});

it.each([null, "main-1"])(
  "is understood by ClickHouse, statement by statement (%s)",
  async (cluster) => {
    for (const statement of clickHouseSchema({ database: "agate", cluster })) {
      const result = await client.query({
        query: `EXPLAIN AST ${statement}`,
        format: "TabSeparated",
      });
      const tree = await result.text();
      expect(tree).toMatch(/^"?CreateQuery `?agate`? /);
      if (cluster !== null) expect(statement).toContain(" ON CLUSTER `main-1`");
    }
  },
);

it("keeps the rows of a trace on one shard, in every table that has them", () => {
  const statements = clickHouseSchema({ database: "agate", cluster: "c" });
  const local = statements.filter((statement) => /^CREATE TABLE.*_local`/.test(statement));
  for (const statement of local) {
    const [, name] = /`agate`\.`(\w+)_local`/.exec(statement) ?? [];
    const front = statements.find((other) => other.includes(`\`agate\`.\`${name}\``));
    expect(front).toContain(`AS \`agate\`.\`${name}_local\``);
    expect(front).toContain(
      name === "schema_version" ? "rand()" : "cityHash64(project, trace_id))",
    );
  }
  // Views are fed on the shard that a row went to, and write there.
  const views = statements.filter((statement) => statement.includes("MATERIALIZED VIEW"));
  expect(views).toHaveLength(4);
  for (const view of views) {
    expect(view).toMatch(/ TO `agate`\.`\w+_local`/);
    expect(view).toMatch(/FROM `agate`\.`\w+_local`/);
  }
});

it("has an index for what rows are looked up by, and the engine uses it", async () => {
  await client.command({ query: "CREATE DATABASE agate" });
  for (const query of clickHouseSchema({ database: "agate", cluster: null })) {
    await client.command({ query });
  }
  await client.command({
    query: `INSERT INTO agate.incoming (project, trace_id, span_id, version, received, start, name, words)
      SELECT 'p', toString(number), toString(number), 1, 1, number, 'n', ' word ' FROM numbers(100000)`,
  });
  const used = async (table: string, where: string) => {
    const result = await client.query({
      query: `EXPLAIN indexes = 1 SELECT count() FROM agate.${table} WHERE project = 'p' AND ${where}`,
      format: "TabSeparated",
    });
    const plan = await result.text();
    return [...plan.matchAll(/Name: (\w+)/g)].map(([, name]) => name);
  };
  expect(await used("spans", "span_id = '7'")).toEqual(["by_span_id"]);
  expect(await used("spans_by_start", "hasAllTokens(words, ['other'])")).toEqual(["by_words"]);
  for (const column of ["user_id", "session_id", "route", "variant", "application", "status"]) {
    expect(await used("spans_by_start", `${column} = 'rare'`)).toEqual(["by_values"]);
  }
  expect(await used("commits", "version > 5")).toEqual(["by_version"]);
  await client.command({
    query: `INSERT INTO agate.scores (project, trace_id, score_id, version, received, name)
      SELECT 'p', toString(number), toString(number), 1, 1, 'helpful' FROM numbers(100000)`,
  });
  await client.command({
    query: `INSERT INTO agate.traces (project, trace_id, start, version, received, failed_spans)
      SELECT 'p', toString(number), number, 1, 1, number = 7 FROM numbers(100000)`,
  });
  expect(await used("traces", "failed_spans > 0")).toEqual(["by_failed"]);
  expect(await used("scores", "name = 'rare'")).toEqual(["by_name"]);
  expect(await used("scores", "written > now64(6) + 60")).toEqual(["by_written"]);
});

it("splits words at spaces and nowhere else", async () => {
  const characters = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
  const texts = [...characters.map((one) => `x${one}y`), "7\u{1f600}", "\ud800", "Crème-brûlée_7"];
  const words = wordsText([...texts, ...fc.sample(fc.string({ unit: "binary" }), 300)]);
  const result = await client.query({
    query: `SELECT tokens({words:String}, 'splitByNonAlpha')
      = arrayFilter(word -> word != '', splitByString(' ', {words:String}))`,
    query_params: { words: words.toWellFormed() },
    format: "TabSeparated",
  });
  expect((await result.text()).trim()).toBe("1");
});

it("takes tables of version 1 to the present one, any number of times", async () => {
  const address = { database: "older", cluster: null };
  const columns = async (database: string) => {
    const result = await client.query({
      query: `SELECT table, name, type, compression_codec FROM system.columns WHERE database = '${database}' ORDER BY table, position`,
      format: "TabSeparated",
    });
    return result.text();
  };
  await client.command({ query: "CREATE DATABASE older" });
  for (const statement of clickHouseSchema(address, EARLIER_LAYOUTS.at(-1))) {
    const hadNoNanos =
      /EXISTS `older`.`(spans_by_start|traces)`/.test(statement) ||
      statement.includes("`spans_by_start_view`");
    const withoutNanos = hadNoNanos ? statement.replace(/start_nanos[^,]*,/, "") : statement;
    const withoutRun = withoutNanos.replace(/,\s*run\b( Nullable\(String\))?/, "");
    await client.command({
      query: withoutRun
        .replaceAll(
          /,\s*((INDEX by_failed )?failed_spans|unpriced_calls)[^,)\n]*?(?=,| FROM|\n)/g,
          "",
        )
        .replace("words String CODEC(ZSTD(3))", "words String CODEC(ZSTD)"),
    });
  }
  const before = await columns("older");
  const upgrade = [...clickHouseUpgrade(address), ...clickHouseUpgrade(address)];
  for (const query of upgrade) await client.command({ query });
  await client.command({
    query: `INSERT INTO older.incoming (project, trace_id, span_id, version, received, start, start_nanos, name, words, run)
      VALUES ('p', 't', 's', 1, 1, 5, 77, 'n', '', 'r')`,
  });
  await client.command({
    query: `INSERT INTO older.traces (project, trace_id, start, version, received, run, failed_spans)
      VALUES ('p', 't', 5, 1, 1, 'r', 3)`,
  });
  const value = async (query: string) => {
    const result = await client.query({ query, format: "TabSeparated" });
    return (await result.text()).trim();
  };
  expect(await value("SELECT start_nanos, run FROM older.spans_by_start")).toBe("77\tr");
  expect(await value("SELECT run FROM older.spans")).toBe("r");
  expect(await value("SELECT run, failed_spans FROM older.traces_by_id")).toBe("r\t3");
  expect(before).not.toBe(await columns("older"));
  await client.command({ query: "CREATE DATABASE newer" });
  for (const query of clickHouseSchema({ database: "newer", cluster: null })) {
    await client.command({ query });
  }
  expect(await columns("older")).toBe(await columns("newer"));
});

it("upgrades every shard of a cluster, then the tables in front", () => {
  const statements = clickHouseUpgrade({ database: "agate", cluster: "main-1" });
  for (const statement of statements) expect(statement).toContain(" ON CLUSTER `main-1`");
  expect(statements.map((statement) => /`agate`\.`(\w+)`/.exec(statement)?.[1])).toEqual([
    "spans_by_start_local",
    "spans_by_start",
    "traces_local",
    "traces",
    ...["incoming", "spans", "spans_by_start", "traces"].flatMap((name) => [`${name}_local`, name]),
    "traces_by_id_local",
    "traces_by_id",
    ...["traces", "traces_by_id", "traces"].flatMap((name) => [`${name}_local`, name]),
    "traces_local",
    "spans_by_start_local",
    "spans_view",
    "spans_by_start_view",
    "traces_by_id_view",
  ]);
});
