import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteRegistry } from "../stores/registry/open-sqlite-registry.ts";
import { describeRegistry } from "./contract/registry.contract.ts";

const directory = mkdtempSync(join(tmpdir(), "agate-registry-"));

describeRegistry("SQLite", {
  open: () => openSqliteRegistry(directory),
  dispose: () => rm(directory, { recursive: true }),
});
