import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { markInstallFinished } from "./install-stamp.mjs";

const repository = join(import.meta.dirname, "..");
const TOOL = `console.log("agate", ...process.argv.slice(2)); process.exitCode = 7;`;
const BUILD = `
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync(new URL("dist", import.meta.url));
writeFileSync(new URL("dist/agate.js", import.meta.url), ${JSON.stringify(TOOL)});
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agate-clone-"));
  write("package.json", '{"type":"module"}');
  cpSync(join(repository, "packages/cli/bin"), join(root, "packages/cli/bin"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** What makes a folder a clone whose dependencies are installed. */
function makeClone(build: string): void {
  cpSync(join(repository, "scripts"), join(root, "scripts"), { recursive: true });
  write("packages/cli/build.ts", build);
  write("package-lock.json", "{}");
  write("node_modules/.package-lock.json", "{}");
  mkdirSync(join(root, "node_modules/node/bin"), { recursive: true });
  symlinkSync(process.execPath, join(root, "node_modules/node/bin/node"));
  markInstallFinished(root);
}

function agate(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "packages/cli/bin/agate.mjs"), ...args],
    { encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

it("builds the tool on first use in a clone, and passes arguments and the exit code on", () => {
  makeClone(BUILD);
  const first = agate("traces", "--json");
  expect(first).toMatchObject({ status: 7, stdout: "agate traces --json\n" });
  expect(first.stderr).toContain("Building Agate");
  expect(agate()).toEqual({ status: 7, stdout: "agate\n", stderr: "" });
});

it("runs nothing where the build fails", () => {
  makeClone("process.exit(3);");
  expect(agate("--version")).toMatchObject({ status: 3, stdout: "" });
});

it("runs what is in the package where it was installed from npm", () => {
  write("packages/cli/dist/agate.js", TOOL);
  expect(agate("--version")).toEqual({ status: 7, stdout: "agate --version\n", stderr: "" });
});
