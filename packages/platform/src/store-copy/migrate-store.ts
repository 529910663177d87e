import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { openSpanStore } from "../stores/open-span-store.ts";
import { DamagedSegmentError } from "../stores/segments/segment-checksum.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { filesIn } from "../stores/sqlite/data-directory.ts";
import { DataDirectoryError, DataDirectoryInUseError } from "../stores/sqlite/sqlite-errors.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import { StoreRefusalError, StoreUnavailableError } from "../stores/store-errors.ts";
import { isOneStore, storeName } from "../stores/store-identity.ts";
import type { MigrationObserver, MigrationOptions, MigrationResult } from "./migration.ts";
import { Migration } from "./migration.ts";
import type { MigrationState } from "./migration-state.ts";
import { loadState } from "./migration-state.ts";

export interface MigrationRequest extends MigrationOptions {
  readonly from: StoreAddress;
  readonly to: StoreAddress;
  /** Copies everything again, however far an earlier run has come. */
  readonly restart: boolean;
}

export type MigrationOutcome =
  | MigrationResult
  /** Nothing was copied: one sentence that says what to do. */
  | { readonly kind: "refused"; readonly reason: string }
  /** A trace of the source is not what was written. Another run goes on when it is gone. */
  | { readonly kind: "damaged"; readonly traceId: string | null }
  /** A database stayed away. Another run goes on. */
  | { readonly kind: "broken-off"; readonly reason: string };

/**
 * Copies all spans of one store to another, or what an earlier run has left, and compares the two.
 * What the target holds besides stays as it is.
 */
export async function migrateStore(
  request: MigrationRequest,
  observer: MigrationObserver,
): Promise<MigrationOutcome> {
  const { from, to, stateFile } = request;
  const names = { from: storeName(from), to: storeName(to) };
  try {
    await refuseMissing(from);
    if (await isOneStore(from, to)) {
      return refused("Both addresses lead to the same store: there is nothing to copy.");
    }
    const loaded = await loadState(stateFile, names);
    if (loaded.kind === "unusable") return refused(loaded.reason);
    const known = loaded.kind === "state" && !request.restart ? loaded.state : undefined;
    await using stores = await openStores(from, to);
    const migration = new Migration(stores, known ?? newState(names), request, observer);
    return await Promise.race([migration.run(), stores.failed]);
  } catch (error) {
    if (error instanceof StoreRefusalError) return refused(error.message);
    if (error instanceof DamagedSegmentError) {
      return { kind: "damaged", traceId: error.traceId };
    }
    if (error instanceof StoreUnavailableError) {
      return { kind: "broken-off", reason: error.reason };
    }
    if (request.signal.aborted && error === request.signal.reason) return { kind: "interrupted" };
    throw error;
  }
}

function newState(names: Pick<MigrationState, "from" | "to">): MigrationState {
  return { ...names, position: null, settled: null, spans: 0, seed: randomUUID(), sample: [] };
}

function refused(reason: string): MigrationOutcome {
  return { kind: "refused", reason };
}

export interface OpenStores extends AsyncDisposable {
  readonly from: SpanStore;
  readonly to: SpanStore;
  /** Rejects when something in one of them died of an unexpected error. */
  readonly failed: Promise<never>;
}

/**
 * Opens the store that is to be copied and the one it is copied to, which is made if it is not there.
 *
 * @throws StoreRefusalError with one sentence when one of them cannot be used as it is.
 */
export async function openStores(from: StoreAddress, to: StoreAddress): Promise<OpenStores> {
  await using opened = new AsyncDisposableStack();
  const failure = Promise.withResolvers<never>();
  // Whoever waits for it gets the error; nobody may be waiting any more.
  failure.promise.catch(() => {});
  const open = async (address: StoreAddress): Promise<SpanStore> => {
    const store = await openSpanStore(address, { onFailure: failure.reject }).catch((error) => {
      throw asRefusal(error, address);
    });
    opened.defer(() => store.close());
    return store;
  };
  const stores = { from: await open(from), to: await open(to), failed: failure.promise };
  const parts = opened.move();
  return { ...stores, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** What a server is told of its data directory, for somebody who named two stores. */
function asRefusal(error: unknown, address: StoreAddress): unknown {
  if (error instanceof DataDirectoryInUseError && address.kind === "sqlite") {
    return new StoreRefusalError(
      `A running server uses ${address.directory}. Stop it first: what it takes in meanwhile would be left out.`,
    );
  }
  if (!(error instanceof DataDirectoryError)) return error;
  return new StoreRefusalError(error.message.replaceAll(" with --data-dir", ""));
}

/**
 * A source must be there: opening it would make an empty one.
 *
 * @throws StoreRefusalError
 */
export async function refuseMissing(from: StoreAddress): Promise<void> {
  if (await isThere(from)) return;
  throw new StoreRefusalError(
    from.kind === "sqlite"
      ? `There is no spans.db in ${from.directory}. Name the folder that a server had as its --data-dir.`
      : `There are no spans of Agate in ${from.shown}. Name the database that a server had as its --store.`,
  );
}

async function isThere(address: StoreAddress): Promise<boolean> {
  switch (address.kind) {
    case "sqlite":
      // One that this user may not look for is not missing: that is thrown.
      return statSync(filesIn(address.directory).spans, { throwIfNoEntry: false }) !== undefined;
    case "postgres": {
      const { hasSpanTables } = await import("../stores/postgres/prepare-database.ts");
      return hasSpanTables(address);
    }
    case "clickhouse": {
      const { hasSpanTables } = await import("../stores/clickhouse/prepare-database.ts");
      return hasSpanTables(address);
    }
  }
}
