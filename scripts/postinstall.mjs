import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { markInstallFinished } from "./install-stamp.mjs";

// With this option npm writes the lockfile and installs nothing.
if (process.env.npm_config_package_lock_only !== "true") {
  markInstallFinished(dirname(dirname(fileURLToPath(import.meta.url))));
}
