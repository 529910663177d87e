import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ArchiveContents } from "../../packages/platform/src/deployments/builds/testing/build-archive.fixture.ts";
import { buildArchive } from "../../packages/platform/src/deployments/builds/testing/build-archive.fixture.ts";
import {
  packageJson,
  startPackageRegistry,
} from "../../packages/platform/src/deployments/builds/testing/package-registry.fixture.ts";
import { workflow } from "../../packages/platform/src/server/routes/deployments/testing/deploying.fixture.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker, type Packer, support } from "../deployments/pack-workflow.fixture.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { HOSTILE_WORKFLOW } from "./hostile-build.fixture.ts";

const LIVE = "?environment=production";

/** How attacks end that do not end with ERR_ACCESS_DENIED. */
const OUTCOMES: Readonly<Record<string, string | RegExp>> = {
  "open spans.db with node:sqlite": "ERR_UNKNOWN_BUILTIN_MODULE",
  "load an addon": "ERR_DLOPEN_DISABLED",
  "open a debugger in the server another way": /is not a function/,
  // Under a user of its own, the build cannot even see that the file is there.
  "import another build's program": /^ERR_(?:MODULE_NOT_FOUND|ACCESS_DENIED)$/,
  "require another build's manifest": /^(?:MODULE_NOT_FOUND|ERR_ACCESS_DENIED)$/,
  // compileCacheStatus.FAILED
  "keep a compile cache outside": "succeeded: status 0",
};

let packer: Packer;
let server: RunningServer;
beforeAll(async () => {
  packer = await openPacker();
  server = await startServer({ env: { PGPASSWORD: "secret", AGATE_SECRET: "secret" } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await packer[Symbol.asyncDispose]();
});

/** A workflow without the SDK, whose calls answer with what the body of an async function gives. */
function answering(run: string, before = ""): string {
  const handle = `
    const run = async () => { ${run} };
    response.end(JSON.stringify(await run().catch((error) => String(error.code ?? error))));`;
  return workflow("", { handle, before });
}

async function deploy(application: string, contents: ArchiveContents, on = server) {
  const archive = new Uint8Array(await buildArchive(contents));
  return deployClient(on.url, application).deploy(archive);
}

async function call(application: string, on = server): Promise<unknown> {
  return (await deployClient(on.url, application).call("/run/x", {})).json();
}

const MODULE = { "package.json": '{"type":"module"}' };

describe("a build that tries to get out", () => {
  it("is stopped at each of 32 attacks, and neither the server nor another build notices", async () => {
    const client = deployClient(server.url, "hostile");
    await client.mustDeploy(await packer.pack(HOSTILE_WORKFLOW), LIVE);
    const others = deployClient(server.url, "other");
    const { build } = await others.mustDeploy(await packer.pack(support("other")), LIVE);
    const outside = join(server.dataDirectory, "outside");
    const other = join(server.dataDirectory, "builds", build.id);
    const inputs = { data: server.dataDirectory, other, outside };
    const answer = await client.call("/run/attack", { inputs });
    const { data } = (await answer.json()) as { data: Record<string, string> };
    expect(Object.keys(data)).toHaveLength(32);
    for (const [attack, outcome] of Object.entries(data)) {
      expect.soft(outcome, attack).toMatch(OUTCOMES[attack] ?? "ERR_ACCESS_DENIED");
    }
    expect(existsSync(outside)).toBe(false);
    const said = await others.call("/run/say", { inputs: { text: "x" } });
    expect(await said.json()).toMatchObject({ data: "other default x" });
    expect(server.log()).not.toContain("Debugger listening");
  });

  it("has none of the server's secrets in its environment", async () => {
    await deploy("env", { files: { "app.js": answering("return process.env;"), ...MODULE } });
    const environment = (await call("env")) as Record<string, string>;
    expect(Object.keys(environment)).not.toContain("PGPASSWORD");
    const own = ["API_KEY", "APPLICATION", "BASE_URL", "ENVIRONMENT", "LISTEN"];
    const names = Object.keys(environment).filter((name) => name.startsWith("AGATE_"));
    expect(names.toSorted()).toEqual(own.map((name) => `AGATE_${name}`));
  });

  it("cannot run install scripts, which would have the rights of the server", async () => {
    await using packages = await startPackageRegistry();
    const scripts = { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" };
    const install = await packages.publish({
      scripted: { "package.json": packageJson("scripted", { scripts }), "index.js": "" },
    });
    const found = `const { existsSync } = await import("node:fs");
      return existsSync("node_modules/scripted/ran");`;
    const files = { ...install, "app.mjs": answering(found) };
    const manifest = { entry: "app.mjs" };
    const refused = await deploy("scripted", { files, manifest });
    expect(refused.status, await refused.text()).toBe(201);
    expect(await call("scripted")).toBe(false);
    const allowed = await deploy("scripted", {
      files,
      manifest: { ...manifest, allow: ["addons"] },
    });
    expect(allowed.status, await allowed.text()).toBe(201);
    expect(await call("scripted")).toBe(true);
  });

  it("cannot have npm link a folder of the server into its packages", async () => {
    await using packages = await startPackageRegistry();
    const install = await packages.publish({
      plain: { "package.json": packageJson("plain"), "index.js": "" },
    });
    const project = JSON.parse(install["package.json"] ?? "");
    const lock = JSON.parse(install["package-lock.json"] ?? "");
    project.dependencies.evil = "file:../..";
    lock.packages[""] = project;
    lock.packages["../.."] = { version: "1.0.0" };
    lock.packages["node_modules/evil"] = { resolved: "../..", link: true };
    const files = {
      "package.json": JSON.stringify(project),
      "package-lock.json": JSON.stringify(lock),
      "app.mjs": answering("return 1;"),
    };
    const response = await deploy("linked", { files, manifest: { entry: "app.mjs" } });
    const body = (await response.json()) as { detail: { type: string; msg: string }[] };
    expect([response.status, body.detail[0]?.type]).toEqual([422, "install_failed"]);
    expect(body.detail[0]?.msg).toContain("node_modules/evil is a link");
  });
});

describe("an ordinary build", () => {
  it("uses packages, dynamic imports, its own files, a temporary folder and the network", async () => {
    await using packages = await startPackageRegistry();
    const install = await packages.publish({
      common: { "package.json": packageJson("common"), "index.js": "module.exports = 'common';" },
      modern: {
        "package.json": packageJson("modern", { type: "module" }),
        "index.js": "export default 'modern';",
      },
    });
    const run = `
      const modern = (await import("modern")).default;
      const { late } = await import("./late.mjs");
      const prompt = readFileSync("prompts/a.txt", "utf8");
      const file = join(mkdtempSync(join(tmpdir(), "work-")), "x");
      writeFileSync(file, "written");
      const health = await fetch(process.env.AGATE_BASE_URL + "/health");
      const missing = await import("not-installed").catch((error) => error.code);
      return [common, modern, late, prompt, readFileSync(file, "utf8"), health.status, missing];`;
    const imports = `
      import common from "common";
      import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
      import { tmpdir } from "node:os";
      import { join } from "node:path";`;
    const files = {
      ...install,
      "app.mjs": answering(run, imports),
      "late.mjs": "export const late = 'late';",
      "prompts/a.txt": "prompt",
    };
    const deployed = await deploy("ordinary", { files, manifest: { entry: "app.mjs" } });
    expect(deployed.status, await deployed.text()).toBe(201);
    expect(await call("ordinary")).toEqual([
      "common",
      "modern",
      "late",
      "prompt",
      "written",
      200,
      "ERR_MODULE_NOT_FOUND",
    ]);
  });

  it.each([
    [
      "worker",
      `const { Worker } = await import("node:worker_threads");
       const { once } = await import("node:events");
       const source = 'require("node:worker_threads").parentPort.postMessage("works")';
       return (await once(new Worker(source, { eval: true }), "message"))[0];`,
    ],
    [
      "child-process",
      `const { execFileSync } = await import("node:child_process");
       return execFileSync(process.execPath, ["-p", "'works'"]).toString().trim();`,
    ],
    [
      "addons",
      `const { DatabaseSync } = await import("node:sqlite");
       return new DatabaseSync(":memory:").prepare("SELECT 'works' AS it").get().it;`,
    ],
  ])("may use %s where its manifest requests it, and only then", async (permission, run) => {
    const files = { "app.js": answering(run), ...MODULE };
    const app = `with-${permission}`;
    await deploy(app, { files });
    expect(await call(app)).toMatch(/^ERR_(?:ACCESS_DENIED|UNKNOWN_BUILTIN_MODULE)$/);
    const deployed = await deploy(app, { files, manifest: { allow: [permission] } });
    const { build } = (await deployed.json()) as { build: { allow: string[] } };
    expect(build.allow).toEqual([permission]);
    expect(await call(app)).toBe("works");
  });

  it("is told what to request when it needs it to start", async () => {
    const before = `import { Worker } from "node:worker_threads"; new Worker("1", { eval: true });`;
    const files = { "app.js": workflow("x", { before }), ...MODULE };
    const response = await deploy("eager", { files });
    const { detail } = (await response.json()) as { detail: { msg: string }[] };
    expect(response.status).toBe(422);
    expect(detail[0]?.msg).toContain('"agate": {"allow": ["worker"]}');
  });

  it("from before there were restrictions runs without any until it is deployed again", async () => {
    await using folder = await emptyDataFolder();
    const run = `const { readFileSync } = await import("node:fs");
      return readFileSync(${JSON.stringify(join(folder.path, "registry.db"))}).length > 0;`;
    const files = { "app.js": answering(run), ...MODULE };
    {
      await using before = await startServer({ dataDirectory: folder.path });
      await deploy("old", { files }, before);
      expect(await call("old", before)).toBe("ERR_ACCESS_DENIED");
      await before.stop();
    }
    const registry = new DatabaseSync(join(folder.path, "registry.db"));
    registry.exec("UPDATE builds SET allow = NULL, manifest_hash = NULL");
    registry.close();
    await using after = await startServer({ dataDirectory: folder.path });
    expect(await call("old", after)).toBe(true);
    await deploy("old", { files }, after);
    expect(await call("old", after)).toBe("ERR_ACCESS_DENIED");
  });
});
