import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSpanStore } from "../contract/span-store.contract.ts";
import { openSqliteStore } from "./sqlite-store.ts";

// As it is, and with traces that are merged as soon as the writer is idle.
for (const [name, quietMs] of [["SQLite"], ["SQLite that merges traces at once", 0]] as const) {
  const directory = mkdtempSync(join(tmpdir(), "agate-store-"));
  describeSpanStore(name, {
    open: (options) =>
      openSqliteStore({ ...options, directory, ...(quietMs !== undefined && { quietMs }) }),
    dispose: () => rm(directory, { recursive: true }),
  });
}
