import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { openSpanStore } from "../stores/open-span-store.ts";
import { DamagedSegmentError } from "../stores/segments/segment.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { filesIn } from "../stores/sqlite/data-directory.ts";
import { DataDirectoryError, DataDirectoryInUseError } from "../stores/sqlite/sqlite-errors.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import { StoreRefusalError, StoreUnavailableError } from "../stores/store-errors.ts";
import { isOneStore, storeName } from "../stores/store-identity.ts";
import type { MigrationObserver, MigrationOptions, MigrationResult } from "./migration.ts";
import { Migration } from "./migration.ts";
import type { MigrationState } from "./migration-state.ts";
import { loadState, NO_SCORES_COPIED } from "./migration-state.ts";

export interface MigrationRequest extends MigrationOptions {
  readonly from: StoreAddress;
  readonly to: StoreAddress;
  /** Copies everything again, ignoring the progress of an earlier run. */
  readonly restart: boolean;
}

export type MigrationOutcome =
  | MigrationResult
  /** Nothing was copied: one sentence that says what to do. */
  | { readonly kind: "refused"; readonly reason: string }
  /** A trace of the source is damaged. Another run continues once it is deleted. */
  | { readonly kind: "damaged"; readonly traceId: string | null }
  /** A database stayed unavailable. Another run continues. */
  | { readonly kind: "broken-off"; readonly reason: string };

/**
 * Copies all spans and scores of one store to another, or what an earlier run has left, and compares the two. Other
 * data of the target stays as it is.
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
  const nothing = { position: null, settled: null, spans: 0, scores: NO_SCORES_COPIED };
  return { ...names, ...nothing, seed: randomUUID(), sample: [] };
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
 * Opens the source and the target; the target is created if it does not exist.
 *
 * @throws StoreRefusalError with one sentence when one of them cannot be used as it is.
 */
export async function openStores(from: StoreAddress, to: StoreAddress): Promise<OpenStores> {
  await using opened = new AsyncDisposableStack();
  const failure = Promise.withResolvers<never>();
  // The error is handled where the promise is awaited; if it is not, it must not be an unhandled rejection.
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

/** The error of a data directory, worded for a command that names two stores. */
function asRefusal(error: unknown, address: StoreAddress): unknown {
  if (error instanceof DataDirectoryInUseError && address.kind === "sqlite") {
    return new StoreRefusalError(
      `A running server uses ${address.directory}. Stop it first: spans that it receives during the migration would be left out.`,
    );
  }
  if (!(error instanceof DataDirectoryError)) return error;
  return new StoreRefusalError(error.message.replaceAll(" with --data-dir", ""));
}

/**
 * Checks that the source exists: opening it would create an empty store.
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
      // A permission error is thrown: the folder is not missing.
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
