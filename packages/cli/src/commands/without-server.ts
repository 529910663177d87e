// One door for what commands do with the databases themselves: each door that is loaded late and
// shares the stores with the server would break these into more files, which a server has to load.
export { backUpFolder } from "../backup/back-up-folder.ts";
export { restoreBackup } from "../backup/restore-backup.ts";
export { saveBackup } from "../backup/save-backup.ts";
export { createKeyOffline } from "../create-key-offline.ts";
export { migrateRegistry } from "../registry-copy/migrate-registry.ts";
export { migrateStore } from "../store-copy/migrate-store.ts";
export { checkFolder } from "../stores/sqlite/check-folder.ts";
