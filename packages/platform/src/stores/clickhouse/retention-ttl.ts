import { ARRIVAL, KEPT_TABLES, localName } from "./clickhouse-schema.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";

const DAY_SECONDS = 86_400;
/** Below that, a day that is dropped as a whole would be kept for too long. */
const WHOLE_DAYS_FROM = 3 * DAY_SECONDS;
/** How often ClickHouse looks for what has expired, at the rarest: its own default. */
const RAREST_LOOK_SECONDS = 4 * 3_600;

/**
 * Lets ClickHouse delete what arrived longer ago than this, or keep everything. Tables that are set
 * up so already are not touched: changing them makes ClickHouse look through all of their parts.
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
 * What must be altered about a table.
 *
 * @param definition Its `engine_full` in `system.tables`.
 */
export function ttlChanges(definition: string, keepMs: number | null): string[] {
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
