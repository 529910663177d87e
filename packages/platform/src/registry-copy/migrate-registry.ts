import { diskReason } from "../deployments/builds/disk-reason.ts";
import type { RegistryAddress } from "../stores/store-address.ts";
import { StoreRefusalError, StoreUnavailableError } from "../stores/store-errors.ts";
import { isOneStore } from "../stores/store-identity.ts";
import type { CopiedRegistry, CopyOptions } from "./copy-registry.ts";
import { copyRegistry } from "./copy-registry.ts";
import type { RegistryTable } from "./plain-rows.ts";
import { openRegistrySide, refuseMissing } from "./registry-side.ts";

export interface RegistryMigration extends CopyOptions {
  readonly from: RegistryAddress;
  readonly to: RegistryAddress;
}

export type RegistryMigrationOutcome =
  | CopiedRegistry
  /** Nothing was copied: one sentence that says what to do. */
  | { readonly kind: "refused"; readonly reason: string }
  /** By its signal. Nothing was copied. */
  | { readonly kind: "interrupted" }
  /** A database went away, or a disk is full. */
  | { readonly kind: "broken-off"; readonly reason: string };

/** Copies the registry at one address to an empty one at another, all or nothing, and compares the two. */
export async function migrateRegistry(
  migration: RegistryMigration,
): Promise<RegistryMigrationOutcome> {
  const { from, to, signal } = migration;
  try {
    await refuseMissing(from);
    if (await isOneStore(from, to)) {
      return refused("Both addresses lead to the same registry: there is nothing to copy.");
    }
    await using source = await openRegistrySide(from);
    await using target = await openRegistrySide(to);
    const outcome = await copyRegistry(source, target, migration);
    switch (outcome.kind) {
      case "copied":
        return outcome;
      case "not-empty":
        return refused(
          `${target.name} has ${named(outcome.tables)} already. Copy into a registry that no server has used, or, if nothing in this one is needed, ${EMPTIED_BY[to.kind]}.`,
        );
      case "different":
        return refused(
          `In ${target.name} other ${named(outcome.tables)} arrived than were sent. Nothing was changed: look for triggers or rules on its tables.`,
        );
    }
  } catch (error) {
    if (error instanceof StoreRefusalError) return refused(error.message);
    const reason = error instanceof StoreUnavailableError ? error.reason : diskReason(error);
    if (reason !== undefined) return { kind: "broken-off", reason };
    if (signal.aborted && error === signal.reason) return { kind: "interrupted" };
    throw error;
  }
}

function named(tables: readonly RegistryTable[]): string {
  return LIST.format(tables.map((table) => NAMES[table] ?? table));
}

/** Servers make them anew. */
const EMPTIED_BY: Readonly<Record<RegistryAddress["kind"], string>> = {
  sqlite: "delete its registry.db",
  postgres: "stop its servers and empty it with TRUNCATE agate.projects CASCADE",
};

const LIST = new Intl.ListFormat("en");
const NAMES: Partial<Record<RegistryTable, string>> = { api_keys: "API keys" };

function refused(reason: string): RegistryMigrationOutcome {
  return { kind: "refused", reason };
}
