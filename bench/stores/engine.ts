import type {
  ClickHouseAddress,
  PostgresAddress,
  SqliteAddress,
} from "../../packages/platform/src/stores/store-address.ts";

export const ENGINES = ["sqlite", "postgres", "clickhouse"] as const;
export type EngineName = (typeof ENGINES)[number];

/** A database for spans, empty at first. */
export interface Engine extends AsyncDisposable {
  /** What it is, and how it runs. */
  readonly description: string;
  readonly place:
    | { readonly address: SqliteAddress }
    /** The URL is what `agate server` takes. */
    | { readonly address: PostgresAddress | ClickHouseAddress; readonly url: string };
  /** Its first process; null where it has none of its own here. */
  readonly pid: number | null;
  /** What the spans take on its disk: tables and indexes, not the log of changes. */
  bytes(): Promise<number>;
  /** What it has written to its log of changes so far; null where that is not kept. */
  logBytes(): Promise<number | null>;
}
