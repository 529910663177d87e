import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildArchive } from "../../packages/platform/src/deployments/builds/testing/build-archive.fixture.ts";
import {
  packageJson,
  startPackageRegistry,
} from "../../packages/platform/src/deployments/builds/testing/package-registry.fixture.ts";
import { workflow } from "../../packages/platform/src/server/routes/deployments/testing/deploying.fixture.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { startServer } from "../running-server.ts";

/** Flips one bit in the middle of a file, as a disk may. */
async function damage(file: string): Promise<void> {
  const bytes = await readFile(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

async function archive(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const manifest = { entry: "app.mjs" };
  const all = { "package.json": "{}", ...files };
  return new Uint8Array(await buildArchive({ files: all, manifest }));
}

it.each(["prompts/a.txt", "agate-build.json"])(
  "does not start a build whose %s has one other bit, and says what to do",
  async (name) => {
    await using folder = await emptyDataFolder();
    const files = { "app.mjs": workflow("hello"), "prompts/a.txt": "a prompt" };
    let id: string;
    {
      await using server = await startServer({ dataDirectory: folder.path });
      const { build } = await deployClient(server.url).mustDeploy(await archive(files));
      id = build.id;
      await server.stop();
    }
    await damage(join(folder.path, "builds", id, name));
    await using server = await startServer({ dataDirectory: folder.path });
    const client = deployClient(server.url);
    const reason = `Its file ${name} is damaged`;
    const logs = async () => (await client.send("GET", "/logs")).text();
    await expect.poll(logs).toContain(reason);
    const activated = await client.send("POST", "/builds/1/activate", {
      environment: "production",
    });
    expect([activated.status, await activated.text()]).toEqual([
      422,
      expect.stringContaining(reason),
    ]);
    await client.mustDeploy(await archive(files));
    expect(await (await client.call("/run/x", {})).text()).toBe("hello");
  },
);

it("installs packages again that have one other bit", async () => {
  await using folder = await emptyDataFolder();
  await using packages = await startPackageRegistry();
  const install = await packages.publish({
    greeting: { "package.json": packageJson("greeting"), "index.js": "module.exports = 'hello';" },
  });
  const app = workflow("", {
    before: "import greeting from 'greeting';",
    handle: "response.end(greeting);",
  });
  {
    await using server = await startServer({ dataDirectory: folder.path });
    await deployClient(server.url).mustDeploy(await archive({ ...install, "app.mjs": app }));
    await server.stop();
  }
  const [set = ""] = await readdir(join(folder.path, "modules"));
  const file = join(folder.path, "modules", set, "node_modules/greeting/index.js");
  await damage(file);
  await using server = await startServer({ dataDirectory: folder.path });
  const client = deployClient(server.url);
  await expect.poll(async () => (await client.call("/run/x", {})).text()).toBe("hello");
  expect(await readFile(file, "utf8")).toBe("module.exports = 'hello';");
});
