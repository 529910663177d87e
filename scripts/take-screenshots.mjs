// npm run screenshots: takes the pictures in docs/images anew, of the pages as they are now.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./ensure-installed.mjs";
import { runProcess } from "./run-process.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.env.AGATE_SCREENSHOTS = "keep";
process.exitCode = await runProcess(ensureInstalled(root), [
  join(root, "node_modules/vitest/vitest.mjs"),
  "run",
  "--config",
  "vitest.long.config.ts",
  "e2e/web/screenshots",
]);
