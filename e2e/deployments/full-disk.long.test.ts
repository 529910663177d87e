import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { buildArchive } from "../../packages/platform/src/deployments/builds/testing/build-archive.fixture.ts";
import {
  packageJson,
  startPackageRegistry,
} from "../../packages/platform/src/deployments/builds/testing/package-registry.fixture.ts";
import { workflow } from "../../packages/platform/src/server/routes/deployments/testing/deploying.fixture.ts";
import { startServer } from "../running-server.ts";
import { deployClient } from "./deploy-client.fixture.ts";

/** Lets no file of a process, and of those that it starts, grow beyond so many bytes. */
async function limitFiles(pid: number, bytes: number | "unlimited"): Promise<boolean> {
  const limit = `--fsize=${bytes}:unlimited`;
  return promisify(execFile)("prlimit", ["--pid", String(pid), limit]).then(
    () => true,
    () => false,
  );
}

it("refuses a build that the disk does not take, at any step, and the one before serves on", async ({
  skip,
}) => {
  await using packages = await startPackageRegistry();
  await using server = await startServer();
  const client = deployClient(server.url);
  const archive = async (word: string, files: Record<string, string> = {}) =>
    new Uint8Array(
      await buildArchive({
        files: { "app.js": workflow(word), "package.json": '{"type":"module"}', ...files },
      }),
    );
  const served = async () => (await fetch(`${server.url}/services/support/run/x`)).text();
  const kept = async () => ({
    builds: await readdir(join(server.dataDirectory, "builds")),
    modules: await readdir(join(server.dataDirectory, "modules")).catch(() => []),
  });
  await client.mustDeploy(await archive("first"));
  const before = await kept();
  const noise = (length: number) =>
    Array.from({ length: length / 8 }, (_, n) => (n * 0x9e3779b1).toString(36).padStart(8, "0"))
      .map((text) => text.slice(-8))
      .join("");

  const large = await archive("large", { "data.txt": noise(800_000) });
  const install = await packages.publish({
    heavy: { "package.json": packageJson("heavy"), "index.js": `// ${noise(800_000)}` },
  });
  const heavy = await archive("heavy", {
    ...install,
    "package.json": install["package.json"]!.replace("{", '{"type":"module",'),
  });
  for (const [what, bytes, build] of [
    ["its files", 400_000, large],
    ["its packages", 400_000, heavy],
    ["its record", 4_096, await archive("small")],
  ] as const) {
    if (!(await limitFiles(server.pid, bytes))) return skip("prlimit is not installed");
    const refused = await client.deploy(build);
    expect(refused.status, `${what}: ${await refused.clone().text()}`).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ detail: [{ type: "store_unavailable" }] });
    expect(await served()).toBe("first");
    expect(await kept(), what).toEqual(before);
    expect(await limitFiles(server.pid, "unlimited")).toBe(true);
  }
  await expect.poll(() => server.log()).toContain('"reason":"The disk is full."');

  await client.mustDeploy(await archive("last"));
  expect(await served()).toBe("last");
  const { items } = (await (await client.send("GET", "/builds")).json()) as {
    items: { status: string }[];
  };
  expect(items.map(({ status }) => status)).not.toContain("starting");
});
