import { randomUUID } from "node:crypto";
import { isOneStore } from "../stores/is-one-store.ts";
import { DamagedSegmentError } from "../stores/segments/segment-checksum.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import { storeName } from "../stores/store-name.ts";
import { StoreRefusalError } from "../stores/store-refusal-error.ts";
import { StoreUnavailableError } from "../stores/store-unavailable-error.ts";
import type { MigrationObserver, MigrationOptions, MigrationResult } from "./migration.ts";
import { Migration } from "./migration.ts";
import type { MigrationState } from "./migration-state.ts";
import { openStores, refuseMissing } from "./open-stores.ts";
import { loadState } from "./state-file.ts";

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
