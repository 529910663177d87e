import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSpanStore } from "../contract/span-store.contract.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const directory = mkdtempSync(join(tmpdir(), "agate-store-"));

describeSpanStore("SQLite", {
  arrivals: 30,
  // The rest is in `npm run test:long`.
  sizes: "some",
  open: (options) => openSqliteStore({ ...options, directory }),
  dispose: () => rm(directory, { recursive: true }),
});
