import { chmod, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildArchive } from "../../packages/platform/src/deployments/builds/testing/build-archive.fixture.ts";
import {
  packageJson,
  startPackageRegistry,
} from "../../packages/platform/src/deployments/builds/testing/package-registry.fixture.ts";
import { workflow } from "../../packages/platform/src/server/routes/deployments/testing/deploying.fixture.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { type RunningServer, startServer } from "../running-server.ts";

/** Every permission there is: what is left is what the system itself refuses. */
const ALLOW = ["addons", "child-process", "worker"];

/** Answers with what a shell command prints, or says. */
const SHELL = workflow("", {
  before: `import { execFileSync } from "node:child_process";`,
  handle: `
    let command = "";
    for await (const chunk of request) command += chunk;
    try {
      response.end(execFileSync("sh", ["-c", JSON.parse(command).command + " 2>&1"]));
    } catch (error) {
      response.end(String(error.stdout));
    }`,
});

async function deploy(
  server: RunningServer,
  application: string,
  more: Record<string, string> = {},
  environment = "production",
) {
  const files = { "app.mjs": SHELL, "package.json": "{}", ...more };
  const manifest = { entry: "app.mjs", allow: ALLOW };
  const archive = new Uint8Array(await buildArchive({ files, manifest }));
  return deployClient(server.url, application).mustDeploy(archive, `?environment=${environment}`);
}

async function shell(
  server: RunningServer,
  application: string,
  command: string,
  environment = "production",
): Promise<string> {
  const client = deployClient(server.url, application);
  const answer = await client.call("/run/x", { command }, { "agate-environment": environment });
  return (await answer.text()).trim();
}

// Only root may start processes of other users.
describe.runIf(process.getuid?.() === 0)("builds of a server that is root", () => {
  it("run under a user for each environment, which opens nothing of the server or of another", async () => {
    await using folder = await emptyDataFolder();
    await chmod(folder.path, 0o711);
    await using server = await startServer({
      dataDirectory: folder.path,
      env: { AGATE_SECRET: "secret" },
    });
    await using packages = await startPackageRegistry();
    const scripts = { postinstall: "id -u > made-by" };
    const install = await packages.publish({
      scripted: { "package.json": packageJson("scripted", { scripts }), "index.js": "" },
    });
    const { build } = await deploy(server, "one");
    await deploy(server, "two", install);
    expect(await shell(server, "one", "id -u; id -g; id -G")).toBe("60579\n60578\n60578");
    expect(await shell(server, "two", "id -u; id -g; id -G")).toBe("60581\n60580\n60580");
    const one = join(folder.path, "builds", build.id);
    const environ = `/proc/${await shell(server, "one", "echo $PPID")}/environ`;
    expect(await readFile(environ, "utf8")).toContain("AGATE_LISTEN=");
    const socket = /AGATE_LISTEN=unix:([^\0]+)/.exec(await readFile(environ, "utf8"))?.[1] ?? "";
    for (const command of [
      `head -c 1 ${folder.path}/spans.db`,
      `head -c 1 ${folder.path}/registry.db`,
      `ls ${folder.path}`,
      `cat /proc/${server.pid}/environ`,
      `cat ${environ}`,
      `cat ${one}/app.mjs`,
      `ls ${join(socket, "..")}`,
      `touch ${folder.path}/outside`,
      `touch node_modules/outside`,
      `kill -STOP ${server.pid}`,
    ]) {
      const said = await shell(server, "two", command);
      expect(said, command).toMatch(/Permission denied|not permitted/);
    }
    // Its packages, scripts included, are the server's files, made without the server's rights.
    expect(await shell(server, "two", "cat node_modules/scripted/made-by")).toBe("60580");
    const made = await stat(join(folder.path, "builds"));
    expect(made.mode & 0o777).toBe(0o711);
  });

  it("open nothing of one environment to another that runs the same build", async () => {
    await using folder = await emptyDataFolder();
    await chmod(folder.path, 0o711);
    await using server = await startServer({ dataDirectory: folder.path });
    const { build } = await deploy(server, "one");
    expect((await deploy(server, "one", {}, "staging")).build.id).toBe(build.id);
    const production = await shell(server, "one", "id -u; id -g; echo $PPID");
    const [uid, gid, pid] = production.split("\n");
    const inStaging = (command: string) => shell(server, "one", command, "staging");
    const [stagingUid, stagingGid] = (await inStaging("id -u; id -g")).split("\n");
    expect(stagingUid).not.toBe(uid);
    expect(stagingGid).toBe(gid);
    expect(await inStaging("cat app.mjs")).toContain("execFileSync");
    const environ = await readFile(`/proc/${pid}/environ`, "utf8");
    const socket = /AGATE_LISTEN=unix:([^\0]+)/.exec(environ)?.[1] ?? "";
    for (const command of [
      `cat /proc/${pid}/environ`,
      `cat /proc/${pid}/maps`,
      `ls /proc/${pid}/fd`,
      `ls ${join(socket, "..")}`,
      `kill -STOP ${pid}`,
      `touch outside`,
    ]) {
      expect(await inStaging(command), command).toMatch(/Permission denied|not permitted/);
    }
    // Staging's start has closed nothing to production.
    expect(await shell(server, "one", "cat app.mjs")).toContain("execFileSync");
    expect(await shell(server, "one", "id -u; id -g; echo $PPID")).toBe(production);
  });

  it("run as its own user where others cannot reach their files, and the log names the folder", async () => {
    await using server = await startServer();
    await chmod(server.dataDirectory, 0o700);
    await using again = await startServer({ dataDirectory: join(server.dataDirectory, "inside") });
    await deploy(again, "one");
    expect(await shell(again, "one", "id -u")).toBe("0");
    expect(again.log()).toContain("Builds run as the server's own user");
    expect(again.log()).toContain(`"folder":"${server.dataDirectory}"`);
  });

  it("run as its own user with --build-users none", async () => {
    await using folder = await emptyDataFolder();
    await chmod(folder.path, 0o711);
    const flags = ["--build-users", "none"];
    await using server = await startServer({ dataDirectory: folder.path, flags });
    await deploy(server, "one");
    expect(await shell(server, "one", "id -u")).toBe("0");
  });
});
