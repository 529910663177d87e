import type { Migration } from "kysely/migration";
import { registryTables } from "./migrations/0001-registry.ts";
import { liveSince } from "./migrations/0002-live-since.ts";

/** By name, in their order. Once released, one is never changed or renamed; new ones come at the end. */
export const REGISTRY_MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-registry": registryTables,
  "0002-live-since": liveSince,
};
