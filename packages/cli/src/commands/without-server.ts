// One door for what commands do with the databases themselves: each door that is loaded late and
// shares the stores with the server would break these into more files, which a server has to load.
export { backUpFolder } from "@agate/platform/backup/back-up-folder.ts";
export { restoreBackup } from "@agate/platform/backup/restore-backup.ts";
export { saveBackup } from "@agate/platform/backup/save-backup.ts";
export { createKeyOffline } from "@agate/platform/create-key-offline.ts";
export { migrateRegistry } from "@agate/platform/registry-copy/migrate-registry.ts";
export { migrateStore } from "@agate/platform/store-copy/migrate-store.ts";
export { checkFolder } from "@agate/platform/stores/sqlite/check-folder.ts";
