import type { ClickHouseSettings } from "@clickhouse/client";
import { newerSchema } from "../database-errors.ts";
import type { ClickHouseAddress } from "../store-address.ts";
import { asClickHouseRefusal, errorType, refuseOldClickHouse } from "./clickhouse-errors.ts";
import {
  ARRIVAL,
  clickHouseSchema,
  clickHouseUpgrade,
  EARLIER_LAYOUTS,
  KEPT_TABLES,
  LAYOUT,
  localName,
  quoted,
  SCHEMA_VERSION,
  type TableLayout,
} from "./clickhouse-schema.ts";
import { ClickHouseSession, connectClickHouse, LONG_QUERY_SETTINGS } from "./clickhouse-session.ts";
import { indexEarlierContent } from "./earlier-logged-words.ts";
import { countEarlierUnpricedCalls } from "./earlier-unpriced-calls.ts";
import { SUMMARY_COLUMNS } from "./trace-summary.ts";

/** The version of the schema from which on traces have the number of their failed spans. */
const FAILURES_COUNTED = 5;
/** The version from which on they have the number of their calls without a cost. */
const UNPRICED_COUNTED = 6;
/** The version from which on the words of logged content are indexed. */
const CONTENT_INDEXED = 7;

/** For rows of any number of days. */
const REWRITING: ClickHouseSettings = {
  ...LONG_QUERY_SETTINGS,
  insert_deduplicate: 0,
  max_partitions_per_insert_block: "0",
};

const NO_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Creates the database and its tables if they do not exist. Several replicas may do so at once: every
 * statement does nothing if another replica was first.
 *
 * @throws StoreRefusalError with one sentence when it cannot be used as it is.
 */
export async function prepareDatabase(session: ClickHouseSession): Promise<void> {
  const { address } = session;
  try {
    const [version] = await session.rows<[string]>("SELECT version()");
    refuseOldClickHouse(address, version?.[0] ?? "");
    const written = await schemaVersion(session);
    if (written > SCHEMA_VERSION) throw newerSchema(address, written, SCHEMA_VERSION);
    if (written === SCHEMA_VERSION) return;
    const onCluster = address.cluster === null ? "" : ` ON CLUSTER ${quoted(address.cluster)}`;
    const databases = await session.rows(
      "SELECT 1 FROM system.databases WHERE name = {database:String}",
      { database: address.database },
    );
    if (databases.length === 0) {
      await session.command(
        `CREATE DATABASE IF NOT EXISTS ${quoted(address.database)}${onCluster}`,
      );
    }
    // First the columns: a view cannot name one that its table lacks, even where the view is there already.
    for (const statement of written > 0 ? clickHouseUpgrade(address) : []) {
      await session.command(statement);
    }
    for (const statement of clickHouseSchema(address, await layoutOnCluster(session))) {
      await session.command(statement);
    }
    if (written > 0 && written < FAILURES_COUNTED) {
      await session.command(countEarlierFailures(session), {}, REWRITING);
    }
    if (written > 0 && written < UNPRICED_COUNTED) {
      await countEarlierUnpricedCalls(session, REWRITING);
    }
    if (written > 0 && written < CONTENT_INDEXED) await indexEarlierContent(session);
    await session.insert("schema_version", ["version"], [[SCHEMA_VERSION]]);
  } catch (error) {
    throw asClickHouseRefusal(address, error);
  }
}

/** How the tables of a cluster were made, which may have got another replica since. */
async function layoutOnCluster(session: ClickHouseSession): Promise<TableLayout> {
  const { address } = session;
  if (address.cluster === null) return LAYOUT;
  const rows = await session.rows<[string]>(
    `SELECT create_table_query FROM clusterAllReplicas(${quoted(address.cluster)}, system.tables)
     WHERE database = {database:String} AND name = {name:String}`,
    { database: address.database, name: localName(address, "spans_by_start") },
  );
  const isMade = ({ wordsIndex }: TableLayout) =>
    rows.some(([definition]) => definition.includes(wordsIndex));
  return EARLIER_LAYOUTS.find(isMade) ?? LAYOUT;
}

/**
 * Counts the failed spans of traces from before: the newest row of each that has any is written again, as a newer
 * version. It keeps its time of writing, so that no server takes it for a change. Done again, it finds none.
 */
function countEarlierFailures(session: Pick<ClickHouseSession, "table">): string {
  const changed = ["version", "total", "failed_spans"];
  const kept = [...SUMMARY_COLUMNS, "written"].filter((name) => !changed.includes(name));
  const failing = `(project, trace_id) IN (SELECT project, trace_id FROM ${session.table("spans")} WHERE status = 'ERROR')`;
  return `INSERT INTO ${session.table("traces")} (${kept.join(", ")}, version, total, failed_spans)
SELECT ${kept.map((name) => `t.${name}`).join(", ")}, t.version + 1,
  concat(t.total, ',"failed_spans":', toString(f.failed)), f.failed
FROM (
  SELECT * FROM ${session.table("traces")}
  WHERE ${failing}
  ORDER BY project, trace_id, version DESC, moved LIMIT 1 BY project, trace_id
) AS t
INNER JOIN (
  SELECT project, trace_id, toUInt32(countIf(last = 'ERROR')) AS failed FROM (
    SELECT project, trace_id, argMax(status, version) AS last FROM ${session.table("spans")}
    WHERE ${failing}
    GROUP BY project, trace_id, span_id
  ) GROUP BY project, trace_id HAVING failed > 0
) AS f ON t.project = f.project AND t.trace_id = f.trace_id
WHERE t.moved = 0 AND t.failed_spans = 0`;
}

/**
 * Whether the tables of spans exist; creates none.
 *
 * @throws StoreRefusalError with one sentence when the database cannot be asked.
 */
export function hasSpanTables(address: ClickHouseAddress): Promise<boolean> {
  return withSession(address, async (session) => (await schemaVersion(session)) > 0);
}

/**
 * ClickHouse's own id of the tables, the same on all servers of a cluster; null where there are none, or in
 * a database without such ids.
 *
 * @throws StoreRefusalError with one sentence when the database cannot be asked.
 */
export function idOfSpanTables(address: ClickHouseAddress): Promise<string | null> {
  const { database } = address;
  return withSession(address, async (session) => {
    const [row] = await session.rows<[string]>(
      `SELECT uuid FROM system.tables
       WHERE database = {database:String} AND name = 'schema_version' AND uuid != toUUID('${NO_ID}')`,
      { database },
    );
    return row?.[0] ?? null;
  });
}

async function withSession<Value>(
  address: ClickHouseAddress,
  work: (session: ClickHouseSession) => Promise<Value>,
): Promise<Value> {
  const session = new ClickHouseSession(connectClickHouse(address), address);
  try {
    return await work(session);
  } catch (error) {
    throw asClickHouseRefusal(address, error);
  } finally {
    await session.close();
  }
}

/** 0 where there is none. */
async function schemaVersion(session: ClickHouseSession): Promise<number> {
  try {
    const [row] = await session.rows<[number]>(
      `SELECT max(version) FROM ${session.table("schema_version")}`,
    );
    return row?.[0] ?? 0;
  } catch (error) {
    const type = errorType(error);
    if (type === "UNKNOWN_TABLE" || type === "UNKNOWN_DATABASE") return 0;
    throw error;
  }
}

const DAY_SECONDS = 86_400;
/** For shorter retention, dropping whole days would keep rows for too long. */
const WHOLE_DAYS_FROM = 3 * DAY_SECONDS;
/** The longest interval at which ClickHouse looks for expired rows: its own default. */
const RAREST_LOOK_SECONDS = 4 * 3_600;

/**
 * Lets ClickHouse delete what arrived longer ago than this, or keep everything. Tables that have the
 * setting already are not altered: altering makes ClickHouse check all of their parts.
 */
export async function keepRowsFor(
  session: ClickHouseSession,
  keepMs: number | null,
): Promise<void> {
  const { address } = session;
  const names = KEPT_TABLES.map((name) => localName(address, name));
  const rows = await session.rows<[name: string, definition: string]>(
    `SELECT name, engine_full FROM system.tables
     WHERE database = {database:String} AND name IN {names:Array(String)}`,
    { database: address.database, names },
  );
  const definitions = new Map(rows);
  const onCluster = address.cluster === null ? "" : ` ON CLUSTER \`${address.cluster}\``;
  for (const name of names) {
    for (const change of ttlChanges(definitions.get(name) ?? "", keepMs)) {
      await session.command(`ALTER TABLE ${session.table(name)}${onCluster} ${change}`);
    }
  }
}

/**
 * The ALTER clauses that a table needs.
 *
 * @param definition Its `engine_full` in `system.tables`.
 */
function ttlChanges(definition: string, keepMs: number | null): string[] {
  if (keepMs === null) return / TTL /.test(definition) ? ["REMOVE TTL"] : [];
  const seconds = Math.max(1, Math.ceil(keepMs / 1_000));
  const wholeDays = seconds >= WHOLE_DAYS_FROM ? 1 : 0;
  const look = Math.min(Math.max(Math.floor(seconds / 10), 1), RAREST_LOOK_SECONDS);
  const settings = [`ttl_only_drop_parts = ${wholeDays}`, `merge_with_ttl_timeout = ${look}`];
  const missing = settings.filter((setting) => !definition.includes(setting));
  const ttl = `TTL ${ARRIVAL} + toIntervalSecond(${seconds})`;
  return [
    ...(missing.length === 0 ? [] : [`MODIFY SETTING ${missing.join(", ")}`]),
    ...(definition.includes(ttl) ? [] : [`MODIFY ${ttl}`]),
  ];
}
