import { statSync } from "node:fs";
import { openSpanStore } from "../stores/open-span-store.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { filesIn } from "../stores/sqlite/data-directory.ts";
import {
  DataDirectoryError,
  DataDirectoryInUseError,
} from "../stores/sqlite/data-directory-error.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import { StoreRefusalError } from "../stores/store-refusal-error.ts";

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
      const { hasSpanTables } = await import("../stores/postgres/open-span-database.ts");
      return hasSpanTables(address);
    }
    case "clickhouse": {
      const { hasSpanTables } = await import("../stores/clickhouse/prepare-database.ts");
      return hasSpanTables(address);
    }
  }
}
