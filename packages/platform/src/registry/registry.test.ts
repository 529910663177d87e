import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import { describeRegistry } from "./contract/registry.contract.ts";

const directory = mkdtempSync(join(tmpdir(), "agate-registry-"));

describeRegistry("SQLite", {
  open: () => openRegistryDatabase({ kind: "sqlite", directory }),
  // More of them: registry.long.test.ts.
  histories: 2,
  dispose: () => rm(directory, { recursive: true }),
});
