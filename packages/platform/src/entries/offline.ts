// What commands do with the databases themselves, without a running server. One entry for all of it: each
// further entry that is loaded late and shares the stores with the server splits the stores into more
// chunks, which every server then has to load.

export type { BackupManifest } from "../backup/read-backup.ts";
export { restoreBackup } from "../backup/restore-backup.ts";
export type { SavedBackup } from "../backup/save-backup.ts";
export { backUpFolder, saveBackup } from "../backup/save-backup.ts";
export { createKeyOffline } from "../create-key-offline.ts";
export type { CopiedRegistry } from "../registry-copy/copy-registry.ts";
export type { RegistryMigrationOutcome } from "../registry-copy/migrate-registry.ts";
export { migrateRegistry } from "../registry-copy/migrate-registry.ts";
export type { ProjectComparison } from "../store-copy/compare-stores.ts";
export type { MigrationOutcome } from "../store-copy/migrate-store.ts";
export { migrateStore } from "../store-copy/migrate-store.ts";
export type { MigrationObserver } from "../store-copy/migration.ts";
export type { TraceName } from "../store-copy/trace-sample.ts";
export type { CompactableFile, DamagedTrace, FolderReport } from "../stores/sqlite/check-folder.ts";
export { checkFolder } from "../stores/sqlite/check-folder.ts";
export type { CompactedFile } from "../stores/sqlite/compact-folder.ts";
export { compactFolder } from "../stores/sqlite/compact-folder.ts";
