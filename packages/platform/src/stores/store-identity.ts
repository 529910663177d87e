import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { PostgresAddress, StoreAddress } from "./store-address.ts";

/** A store's name for messages, without its password. */
export function storeName(address: StoreAddress): string {
  return address.kind === "sqlite" ? `sqlite:${resolve(address.directory)}` : address.shown;
}

/** Whether two addresses are equal after resolving paths, default ports and local hosts. */
export function isSameStore(one: StoreAddress, other: StoreAddress): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf(address: StoreAddress): string {
  switch (address.kind) {
    case "sqlite":
      return `sqlite ${realPath(address.directory)}`;
    case "postgres":
      return `postgres ${postgresPlace(address)}`;
    case "clickhouse": {
      const { hostname, port } = new URL(address.url);
      return `clickhouse ${machine(hostname)} ${port} ${address.database}`;
    }
  }
}

function postgresPlace({ url }: PostgresAddress): string {
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  // The default database has the name of the user.
  const database = pathname.slice(1) || username;
  return `${machine(host)} ${searchParams.get("port") ?? (port || 5432)} ${decodeURIComponent(database)}`;
}

function machine(host: string): string {
  return /^(?:localhost|127\.0\.0\.1|\[?::1\]?)$/i.test(host) ? "this machine" : host.toLowerCase();
}

/** Resolves symbolic links of an existing folder. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

/**
 * Whether two addresses lead to the same store. If the addresses differ, the databases are asked: a server
 * may have several names, or be behind a tunnel or a pooler.
 *
 * @throws StoreRefusalError with one sentence when one cannot be asked.
 */
export async function isOneStore(one: StoreAddress, other: StoreAddress): Promise<boolean> {
  if (isSameStore(one, other)) return true;
  if (one.kind === "postgres" && other.kind === "postgres") {
    const { isSameDatabase } = await import("./postgres/prepare-database.ts");
    return isSameDatabase(one, other);
  }
  if (one.kind === "clickhouse" && other.kind === "clickhouse") {
    const { idOfSpanTables } = await import("./clickhouse/prepare-database.ts");
    const id = await idOfSpanTables(one);
    return id !== null && id === (await idOfSpanTables(other));
  }
  return false;
}
