import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { processGroups } from "../processes/testing/build-program.fixture.ts";
import { BuildStore } from "./build-store.ts";
import { ModulesStore } from "./modules-store.ts";
import { buildArchive } from "./testing/build-archive.fixture.ts";
import type { PackageRegistry } from "./testing/package-registry.fixture.ts";
import { packageJson, startPackageRegistry } from "./testing/package-registry.fixture.ts";

let folder: string;
let registry: PackageRegistry;
let stopping: AbortController;
let store: BuildStore;
/** What other replicas have. */
let readArchive: (id: string) => Promise<Uint8Array | undefined>;
beforeEach(async () => {
  readArchive = async () => undefined;
  folder = await mkdtemp(join(tmpdir(), "agate-builds-"));
  vi.stubEnv("npm_config_cache", join(folder, "npm-cache"));
  registry = await startPackageRegistry();
  stopping = new AbortController();
  store = openStore();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await registry[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function openStore(timeoutMs = 60_000): BuildStore {
  const modules = new ModulesStore({
    folder: join(folder, "modules"),
    timeoutMs,
    signal: stopping.signal,
    groups: processGroups(),
  });
  const archives = { read: (id: string) => readArchive(id) };
  const builds = join(folder, "builds");
  return new BuildStore({ folder: builds, modules, mostUnpackedBytes: 1e6, archives });
}

/** A build's files, packed anew. */
async function archiveOf(id: string): Promise<Uint8Array | undefined> {
  const open = await store.archiveOf(id);
  return open && new Uint8Array(await buffer(open(new AbortController().signal)));
}

const names = async (of: "builds" | "modules") =>
  (await readdir(join(folder, of)).catch(() => [])).toSorted();

async function keep(id: string, files: Readonly<Record<string, string>>): Promise<void> {
  const unpacked = await store.unpack(await buildArchive({ files }));
  if (unpacked.kind !== "unpacked") throw new Error(unpacked.reason);
  await using _ = unpacked;
  await unpacked.keep(id);
}

/** An ES module that needs a CommonJS package, which needs another, and an ES package. */
/** As for builds that may load addons. */
const SCRIPTS = { runsScripts: true, user: null };
const PACKAGES = {
  "common-one": {
    "package.json": packageJson("common-one", { dependencies: { "common-two": "1.0.0" } }),
    "index.js": "module.exports = { one: 1, two: require('common-two') };",
  },
  "common-two": { "package.json": packageJson("common-two"), "index.js": "module.exports = 2;" },
  "esm-three": {
    "package.json": packageJson("esm-three", { type: "module", exports: "./index.js" }),
    "index.js": "import two from 'common-two'; export const three = two + 1;",
  },
};
const APP = `import common from "common-one";
import { three } from "esm-three";
console.log(common.one, common.two, three);`;

it("lets a build find its packages, and has them at once for the next build that needs the same", async () => {
  const install = await registry.publish(PACKAGES);
  await keep("bld_1", { "app.js": APP, ...install });
  await keep("bld_2", { "app.js": APP, "other.txt": "other", ...install });
  const first = await store.install("bld_1", SCRIPTS);
  expect(first).toMatchObject({ kind: "installed" });
  expect(first.kind === "installed" && first.detail).toMatch(/^3 packages in \d+\.\d s$/);
  const asked = registry.requests;
  expect(await store.install("bld_2", SCRIPTS)).toMatchObject({
    kind: "installed",
    detail: "cached",
  });
  expect(registry.requests).toBe(asked);
  for (const id of ["bld_1", "bld_2"]) {
    const { stdout } = await promisify(execFile)(process.execPath, ["app.js"], {
      cwd: store.folderOf(id),
    });
    expect(stdout).toBe("1 2 3\n");
  }
});

it("installs the same packages once for builds that ask at the same time", async () => {
  const install = await registry.publish(PACKAGES);
  const ids = ["bld_1", "bld_2", "bld_3"];
  for (const id of ids) await keep(id, { "app.js": APP, ...install });
  const outcomes = await Promise.all(ids.map((id) => store.install(id, SCRIPTS)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(["installed", "installed", "installed"]);
  expect(await names("modules")).toHaveLength(1);
  expect(registry.requests).toBe(3);
});

it("says what npm said when it fails, and leaves nothing behind", async () => {
  const install = await registry.publish(PACKAGES);
  const lockfile = install["package-lock.json"]?.replaceAll("common-two-1.0.0", "common-two-9.9.9");
  await keep("bld_1", { "app.js": APP, ...install, "package-lock.json": lockfile ?? "" });
  const outcome = await store.install("bld_1", SCRIPTS);
  expect(outcome).toMatchObject({ kind: "failed", reason: "npm ended with code 1." });
  const log = outcome.kind === "failed" ? outcome.log.join("\n") : "";
  expect(log).toContain("npm error code E404");
  expect(log).not.toContain("complete log");
  expect(await names("modules")).toEqual([]);
});

it("runs the scripts of packages, without the platform's own secrets", async () => {
  vi.stubEnv("AGATE_API_KEY", "secret");
  const scripts = { postinstall: "node -p process.env.AGATE_API_KEY>made.txt" };
  const install = await registry.publish({
    native: { "package.json": packageJson("native", { scripts }), "index.js": "" },
  });
  await keep("bld_1", { "app.js": "", ...install });
  expect(await store.install("bld_1", SCRIPTS)).toMatchObject({ kind: "installed" });
  const made = join(store.folderOf("bld_1"), "node_modules/native/made.txt");
  expect(await readFile(made, "utf8")).toBe("undefined\n");
});

/** Its script connects to the test, and then runs for ever. */
async function endlessInstall() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connected = once(server, "connection").then(([socket]) => socket as Socket);
  const files = await registry.publish({
    endless: {
      "package.json": packageJson("endless", { scripts: { postinstall: "node script.js" } }),
      "index.js": "",
      "script.js": `require("net").connect(${port}, "127.0.0.1").on("error", () => {}); setInterval(() => {}, 1e6);`,
    },
  });
  /** Resolves when the script has begun; with what resolves when it has ended. */
  const begun = connected.then((socket) => {
    socket.on("error", () => {});
    server.close();
    return { ended: once(socket.resume(), "close") };
  });
  return { files, begun };
}

it("ends npm and what it started when the platform stops", async () => {
  const { files, begun } = await endlessInstall();
  await keep("bld_1", { "app.js": "", ...files });
  const outcome = store.install("bld_1", SCRIPTS);
  const script = await begun;
  stopping.abort();
  expect(await outcome).toMatchObject({ kind: "failed", reason: "The platform is stopping." });
  await script.ended;
  expect(await names("modules")).toEqual([]);
});

it("gives up on npm after a while, and ends what it started", async () => {
  const { files, begun } = await endlessInstall();
  store = openStore(2500);
  await keep("bld_1", { "app.js": "", ...files });
  // Not the time itself: on a busy machine npm has started nothing by then.
  const timeIsUp = new AbortController();
  using clock = vi.spyOn(AbortSignal, "timeout").mockReturnValue(timeIsUp.signal);
  const outcome = store.install("bld_1", SCRIPTS);
  const script = await begun;
  expect(clock).toHaveBeenCalledWith(2500);
  timeIsUp.abort();
  expect(await outcome).toMatchObject({ kind: "failed", reason: "npm took longer than 2.5 s." });
  await script.ended;
});

it("leaves no npm behind when the platform is killed", async () => {
  const { files, begun } = await endlessInstall();
  await keep("bld_1", { "app.js": "", ...files });
  const program = `
    import { ModulesStore } from ${JSON.stringify(new URL("./modules-store.ts", import.meta.url).href)};
    const [folder, build] = process.argv.slice(1);
    import { ProcessGroups } from ${JSON.stringify(new URL("../processes/process-groups.ts", import.meta.url).href)};
    const signal = new AbortController().signal;
    const groups = new ProcessGroups(console.error);
    await new ModulesStore({ folder, timeoutMs: 1e6, signal, groups }).install(build, { runsScripts: true, user: null });`;
  const platform = spawn(
    process.execPath,
    ["--input-type=module", "-e", program, join(folder, "modules"), store.folderOf("bld_1")],
    { stdio: "ignore" },
  );
  const script = await begun;
  platform.kill("SIGKILL");
  await script.ended;
});

it("has no folder of a build that is not whole", async () => {
  const unpacked = await store.unpack(await buildArchive({ files: { "app.js": "1" } }));
  expect((await names("builds")).filter((name) => !name.startsWith("."))).toEqual([]);
  if (unpacked.kind === "unpacked") await unpacked[Symbol.asyncDispose]();
  expect(await names("builds")).toEqual([]);
  const { entry } = { entry: "missing.js" };
  expect(
    await store.unpack(await buildArchive({ files: { "app.js": "1" }, manifest: { entry } })),
  ).toMatchObject({ kind: "invalid" });
  expect(await names("builds")).toEqual([]);
  expect(await store.manifestOf("bld_1")).toBeUndefined();
});

it("sweeps unused builds, packages and unfinished work", async () => {
  const one = await registry.publish({ "common-two": PACKAGES["common-two"] });
  const other = await registry.publish({
    "common-two": PACKAGES["common-two"],
    "esm-three": PACKAGES["esm-three"],
  });
  await keep("bld_1", { "app.js": APP, ...one });
  await keep("bld_2", { "app.js": APP, ...other });
  for (const id of ["bld_1", "bld_2"]) {
    expect(await store.install(id, SCRIPTS)).toMatchObject({ kind: "installed" });
  }
  await writeFile(join(folder, "builds", ".unpacking-left"), "");
  await writeFile(join(folder, "modules", ".installing-left"), "");
  await using fresh = await (async () => {
    const unpacked = await store.unpack(await buildArchive({ files: { "app.js": "1" } }));
    if (unpacked.kind === "invalid") throw new Error(unpacked.reason);
    return unpacked;
  })();

  await store.sweep(async () => new Set(["bld_2"]));

  expect((await names("builds")).filter((name) => !name.startsWith("."))).toEqual(["bld_2"]);
  expect(await names("builds")).not.toContain(".unpacking-left");
  expect(await names("modules")).toHaveLength(1);
  await fresh.keep("bld_3");
  expect(await store.manifestOf("bld_3")).toMatchObject({ entry: "app.js" });
  // What was swept away is installed again when it is needed again.
  await keep("bld_4", { "app.js": APP, ...one });
  const again = await store.install("bld_4", SCRIPTS);
  expect(again.kind === "installed" && again.detail).toMatch(/^1 package in /);
});

it("fetches a build that came through another replica, once for all who ask for it", async () => {
  const archive = await buildArchive({ files: { "app.js": "1" } });
  const asked: string[] = [];
  readArchive = async (id) => {
    asked.push(id);
    return id === "bld_1" ? archive : undefined;
  };
  const manifests = await Promise.all(Array.from({ length: 5 }, () => store.manifestOf("bld_1")));
  for (const manifest of manifests) expect(manifest).toMatchObject({ entry: "app.js" });
  expect(await store.manifestOf("bld_1")).toMatchObject({ entry: "app.js" });
  expect(await readFile(join(store.folderOf("bld_1"), "app.js"), "utf8")).toBe("1");
  expect(asked).toEqual(["bld_1"]);
  expect(await store.manifestOf("bld_2")).toBeUndefined();
  expect(await names("builds")).toEqual(["bld_1"]);
});

it("leaves nothing behind of a build that cannot be fetched, and tries again", async () => {
  const archive = await buildArchive({ files: { "app.js": "1" } });
  readArchive = async () => archive.subarray(0, 100);
  await expect(store.manifestOf("bld_1")).rejects.toThrow(
    /^its archive is unusable: It is damaged/,
  );
  readArchive = async () => {
    throw new Error("away");
  };
  await expect(store.manifestOf("bld_1")).rejects.toThrow("away");
  expect(await names("builds")).toEqual([]);
  readArchive = async () => archive;
  expect(await store.manifestOf("bld_1")).toMatchObject({ entry: "app.js" });
});

it("packs a build again, without its packages, and breaks off where a file is gone", async () => {
  const files = { "app.js": "// app", "deep/er/text.txt": "ü".repeat(100_000) };
  await keep("one", files);
  await mkdir(join(store.folderOf("one"), "node_modules"));
  const archive = await archiveOf("one");
  if (archive === undefined) throw new Error("There is no archive.");
  const again = await store.unpack(archive);
  if (again.kind !== "unpacked") throw new Error(again.reason);
  await using _ = again;
  await again.keep("two");
  for (const path of ["agate-build.json", ...Object.keys(files)]) {
    const [before, after] = await Promise.all(
      ["one", "two"].map((id) => readFile(join(store.folderOf(id), path), "utf8")),
    );
    expect(after, path).toBe(before);
  }
  expect(await readdir(store.folderOf("two"))).not.toContain("node_modules");
  expect(await archiveOf("three")).toBeUndefined();
  await rm(join(store.folderOf("two"), "app.js"));
  await expect(archiveOf("two")).rejects.toThrow("app.js");
});
