import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { markInstallFinished } from "./install-stamp.mjs";

markInstallFinished(dirname(dirname(fileURLToPath(import.meta.url))));
