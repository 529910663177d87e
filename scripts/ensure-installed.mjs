// Runs on the machine's own Node (20 or later): nothing is installed yet.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { installState, markInstallUnfinished, missingBinaries } from "./install-stamp.mjs";

/**
 * Installs the dependencies unless they are there, and returns the pinned Node among them.
 *
 * @param {string} root
 * @returns {string} the path of Node 24
 */
export function ensureInstalled(root) {
  const state = installState(root);
  if (state !== "current") install(root, state);
  const node = join(
    root,
    "node_modules/node/bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  if (!existsSync(node)) {
    fail(
      "The pinned Node is not in node_modules. Is npm's `ignore-scripts` set? It must be off here.",
    );
  }
  return node;
}

/**
 * @param {string} root
 * @param {"outdated" | "interrupted" | "missing"} state
 */
function install(root, state) {
  const reason = {
    missing: "Installing the dependencies, this once",
    outdated: "Bringing the dependencies up to package-lock.json",
    interrupted: "The last install was broken off: installing the dependencies again",
  }[state];
  process.stderr.write(`${reason} …\n`);
  if (state === "interrupted") removeInstalled(root);
  if (state === "outdated") markInstallUnfinished(root);
  runNpm(root);
  // npm leaves out an optional package whose download fails, without a word: the compiler of
  // TypeScript, say, which is one package per platform.
  const missing = missingBinaries(root);
  if (missing.length === 0) return;
  process.stderr.write(`npm left out ${missing.join(", ")}: installing again …\n`);
  runNpm(root);
  const still = missingBinaries(root);
  if (still.length > 0) process.stderr.write(`npm could not install ${still.join(", ")}.\n`);
}

/** @param {string} root */
function runNpm(root) {
  // Not `npm ci`: that wants every platform's optional packages in the lockfile, and a registry
  // mirror may not have them all. `--no-save` leaves the lockfile as it is.
  // Packages in npm's own cache are not requested again; the audit would only cost time.
  const quick = ["--prefer-offline", "--no-audit", "--no-fund"];
  const args = ["install", "--no-save", "--loglevel=error", ...quick];
  /** @type {import("node:child_process").SpawnSyncOptions} */
  const options = { cwd: root, stdio: ["ignore", "ignore", "inherit"] };
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  const { status, error } = npm?.endsWith("npm-cli.js")
    ? spawnSync(node ?? process.execPath, [npm, ...args], options)
    : spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
  if (error) fail(`npm could not be started: ${error.message}`);
  if (status !== 0) fail("npm could not install the dependencies; its own words are above.");
  if (installState(root) !== "current") {
    fail("npm did not finish the install. Is `ignore-scripts` set? It must be off here.");
  }
}

/**
 * All but the Node that runs this, which may be one of the packages: npm has to be started on it.
 *
 * @param {string} root
 */
function removeInstalled(root) {
  const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name));
  for (const folder of ["e2e", "bench", "examples/quickstart", ...packages]) {
    rmSync(join(root, folder, "node_modules"), { recursive: true, force: true });
  }
  const modules = join(root, "node_modules");
  for (const name of readdirSync(modules)) {
    if (realpathSync(process.execPath).startsWith(join(realpathSync(modules), name, sep))) continue;
    rmSync(join(modules, name), { recursive: true, force: true });
  }
}

/**
 * @param {string} sentence
 * @returns {never}
 */
function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
