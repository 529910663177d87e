import type { StoreAddress } from "./store-address.ts";
import { isSameStore } from "./store-name.ts";

/**
 * Whether two addresses lead to the same place. Where they look different, the databases are asked: a
 * server has several names, and there are tunnels and poolers.
 *
 * @throws StoreRefusalError with one sentence when one cannot be asked.
 */
export async function isOneStore(one: StoreAddress, other: StoreAddress): Promise<boolean> {
  if (isSameStore(one, other)) return true;
  if (one.kind === "postgres" && other.kind === "postgres") {
    const { isSameDatabase } = await import("./postgres/is-same-database.ts");
    return isSameDatabase(one, other);
  }
  if (one.kind === "clickhouse" && other.kind === "clickhouse") {
    const { idOfSpanTables } = await import("./clickhouse/prepare-database.ts");
    const id = await idOfSpanTables(one);
    return id !== null && id === (await idOfSpanTables(other));
  }
  return false;
}
