import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { writeInstallStamp } from "./install-stamp.mjs";

writeInstallStamp(dirname(dirname(fileURLToPath(import.meta.url))));
