import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const scripts = import.meta.dirname;
/** Stands where npm would: notes that it ran, then installs a "Node" and runs the postinstall. */
const npm = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { markInstallFinished } from ${JSON.stringify(join(scripts, "install-stamp.mjs"))};
appendFileSync("npm.log", process.argv.slice(2).join(" ") + "\\n");
mkdirSync("node_modules/node/bin", { recursive: true });
const lockfile = readFileSync("package-lock.json", "utf8");
if (lockfile.includes("unobtainable")) {
  process.stderr.write("npm error 404 unobtainable");
  process.exit(1);
}
if (lockfile.includes("power cut")) process.kill(process.pid, "SIGKILL");
writeFileSync("node_modules/node/bin/node", "");
writeFileSync("node_modules/node/bin/node.exe", "");
writeFileSync("node_modules/.package-lock.json", "{}");
const runs = readFileSync("npm.log", "utf8").split("\\n").length - 1;
for (const [folder, { failures }] of Object.entries(JSON.parse(lockfile).packages ?? {})) {
  if (runs > failures) mkdirSync(folder, { recursive: true });
}
markInstallFinished(".");
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agate-install-"));
  write("package-lock.json", "{}");
  write("packages/cli/package.json", "{}");
  write("bin/npm-cli.js", npm);
  write("bin/package.json", '{"type":"module"}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function ensureInstalled(node = process.execPath) {
  const program = `
    import { ensureInstalled } from ${JSON.stringify(join(scripts, "ensure-installed.mjs"))};
    console.log(ensureInstalled(process.argv[1]));`;
  const { status, stdout, stderr } = spawnSync(
    node,
    ["--input-type=module", "--eval", program, root],
    {
      encoding: "utf8",
      env: { npm_execpath: join(root, "bin/npm-cli.js"), npm_node_execpath: node },
    },
  );
  return { status, node: stdout.trim(), stderr };
}

function installs(): number {
  const log = join(root, "npm.log");
  return existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
}

it("installs once, and then starts at once", () => {
  const first = ensureInstalled();
  expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining("this once") });
  expect(existsSync(first.node)).toBe(true);
  expect(ensureInstalled()).toEqual({ status: 0, node: first.node, stderr: "" });
  expect(installs()).toBe(1);
});

it("installs again when the lockfile has changed, on top of what is there", () => {
  ensureInstalled();
  write("node_modules/kept/index.js", "");
  write("package-lock.json", '{"packages":{}}');
  expect(ensureInstalled().status).toBe(0);
  expect(installs()).toBe(2);
  expect(existsSync(join(root, "node_modules/kept"))).toBe(true);
  expect(ensureInstalled().stderr).toBe("");
});

it("clears away an install that was broken off, in the workspaces too", () => {
  write("package-lock.json", '"power cut"');
  expect(ensureInstalled().status).toBe(1);
  write("node_modules/half/package.json", "{}");
  write("packages/cli/node_modules/half/package.json", "{}");
  write("package-lock.json", "{}");
  expect(ensureInstalled()).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("broken off"),
  });
  expect(existsSync(join(root, "node_modules/half"))).toBe(false);
  expect(existsSync(join(root, "packages/cli/node_modules"))).toBe(false);
});

it("clears away what was broken off while it runs on the Node among it", () => {
  const node = join(root, "node_modules/other-node/bin/node");
  mkdirSync(dirname(node), { recursive: true });
  copyFileSync(process.execPath, node);
  write("node_modules/half/package.json", "{}");
  expect(ensureInstalled(node)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("broken off"),
  });
  expect(existsSync(join(root, "node_modules/half"))).toBe(false);
});

it("does not take an update that was broken off for the install before it", () => {
  ensureInstalled();
  write("package-lock.json", '"power cut"');
  expect(ensureInstalled().status).toBe(1);
  write("package-lock.json", "{}");
  expect(ensureInstalled().stderr).toContain("broken off");
});

it("works on top of what somebody installed in another way", () => {
  write("node_modules/.package-lock.json", "{}");
  write("node_modules/kept/index.js", "");
  expect(ensureInstalled().status).toBe(0);
  expect(existsSync(join(root, "node_modules/kept"))).toBe(true);
  expect(ensureInstalled().stderr).toBe("");
});

it("shows npm's own words when it fails, and tries again the next time", () => {
  write("package-lock.json", '"unobtainable"');
  expect(ensureInstalled()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("npm error 404 unobtainable"),
  });
  expect(ensureInstalled().status).toBe(1);
  expect(installs()).toBe(2);
});

/** An optional package for this platform, whose download fails so many times. */
function binary(failures: number): string {
  const { platform, arch } = process;
  const packages = {
    "node_modules/tool-here": { os: [platform], cpu: [arch], failures },
    "node_modules/tool-elsewhere": { os: ["aix"], cpu: [arch], failures: 9 },
    "node_modules/tool-other-libc": { os: [platform], cpu: [arch], libc: ["none"], failures: 9 },
  };
  return JSON.stringify({ packages });
}

it("installs again when npm has left out a package for this platform", () => {
  write("package-lock.json", binary(1));
  expect(ensureInstalled()).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("npm left out node_modules/tool-here: installing again …\n"),
  });
  expect(installs()).toBe(2);
  expect(ensureInstalled().stderr).toBe("");
});

it("names the package that npm cannot install, and goes on without it", () => {
  write("package-lock.json", binary(2));
  expect(ensureInstalled()).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("npm could not install node_modules/tool-here.\n"),
  });
  expect(installs()).toBe(2);
});
