import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @param {string} root */
const stampFile = (root) => join(root, "node_modules", ".agate-install");

/**
 * What a finished install of this lockfile on this platform leaves behind.
 *
 * @param {string} root
 */
function stampOf(root) {
  const lockfile = readFileSync(join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lockfile).digest("hex");
  return `${process.platform}-${process.arch} ${hash}\n`;
}

/**
 * How `node_modules` stands to the lockfile. The stamp is written last, by npm's postinstall, so a
 * folder without one is an install that was broken off; npm itself would take its half-written
 * packages for whole.
 *
 * @param {string} root
 * @returns {"current" | "outdated" | "interrupted" | "missing"}
 */
export function installState(root) {
  if (!existsSync(join(root, "node_modules"))) return "missing";
  if (!existsSync(stampFile(root))) return "interrupted";
  return readFileSync(stampFile(root), "utf8") === stampOf(root) ? "current" : "outdated";
}

/** @param {string} root */
export function writeInstallStamp(root) {
  writeFileSync(stampFile(root), stampOf(root));
}
