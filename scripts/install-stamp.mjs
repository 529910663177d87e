import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const UNFINISHED = "unfinished\n";

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
 * How `node_modules` stands to the lockfile. An install that was broken off must be told from one
 * that is only old: npm takes half-written packages for whole. It writes its own
 * `.package-lock.json` last of all, and our stamp after that; while it works on top of an older
 * install, the stamp says so.
 *
 * @param {string} root
 * @returns {"current" | "outdated" | "interrupted" | "missing"}
 */
export function installState(root) {
  if (!existsSync(join(root, "node_modules"))) return "missing";
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) return "interrupted";
  if (!existsSync(stampFile(root))) return "outdated";
  const stamp = readFileSync(stampFile(root), "utf8");
  if (stamp === UNFINISHED) return "interrupted";
  return stamp === stampOf(root) ? "current" : "outdated";
}

/** @param {string} root */
export function markInstallFinished(root) {
  writeFileSync(stampFile(root), stampOf(root));
}

/** @param {string} root */
export function markInstallUnfinished(root) {
  writeFileSync(stampFile(root), UNFINISHED);
}

/**
 * The packages for this platform that npm has left out: a failed download of an optional package is
 * no error to it.
 *
 * @param {string} root
 * @returns {string[]} their folders
 */
export function missingBinaries(root) {
  const lockfile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  /** @type {[string, { os?: string[], cpu?: string[], libc?: string[] }][]} */
  const packages = Object.entries(lockfile.packages ?? {});
  return packages
    .filter(([, { os, cpu, libc }]) => {
      if (!os?.includes(process.platform) || !cpu?.includes(process.arch)) return false;
      return libc === undefined || libc.includes(cLibrary());
    })
    .map(([folder]) => folder)
    .filter((folder) => !existsSync(join(root, folder)));
}

function cLibrary() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (
    process.report.getReport()
  );
  return header.glibcVersionRuntime === undefined ? "musl" : "glibc";
}
