import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { buildArchive } from "../../packages/platform/src/deployments/builds/testing/build-archive.fixture.ts";
import {
  type PackageRegistry,
  packageJson,
  startPackageRegistry,
} from "../../packages/platform/src/deployments/builds/testing/package-registry.fixture.ts";
import { workflow } from "../../packages/platform/src/server/routes/deployments/testing/deploying.fixture.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { deployClient } from "./deploy-client.fixture.ts";

// Eleven deploys to staging are more than the builds that are kept of an application: production can go back
// nevertheless, with the packages that are there, while npm reaches nothing and has nothing in its cache.

const STAGING_DEPLOYS = 11;

it("rolls production back after eleven deploys to staging without npm, also after a restart", async () => {
  await using packages = await startPackageRegistry();
  await using folder = await emptyDataFolder();
  await using cache = await emptyDataFolder();
  const options = { dataDirectory: folder.path, env: { npm_config_cache: cache.path } };
  await using server = await startServer(options);
  const client = deployClient(server.url);
  await client.mustDeploy(await archiveOf(packages, "before"), "?environment=production");
  await client.mustDeploy(await archiveOf(packages, "now"), "?environment=production");
  for (let n = 1; n <= STAGING_DEPLOYS; n++) {
    await client.mustDeploy(await archiveOf(packages, `staged-${n}`), "?environment=staging");
  }
  const unpublished = await archiveOf(packages, "unpublished");
  await packages[Symbol.asyncDispose]();
  await rm(cache.path, { recursive: true, force: true });

  expect(await word(server.url)).toBe("now");
  await rollBack(server.url, 1);
  expect(await word(server.url)).toBe("before");
  expect(await server.stop()).toBe(0);
  await using again = await startServer(options);
  expect(await word(again.url)).toBe("before");
  await rollBack(again.url, 2);
  expect(await word(again.url)).toBe("now");
  // What needs a package anew does notice that npm reaches nothing.
  const refused = await deployClient(again.url).deploy(unpublished, "?environment=staging");
  expect(await refused.text()).toContain("install_failed");
});

/** A build whose only package no other build has. */
async function archiveOf(packages: PackageRegistry, said: string) {
  const name = `package-${said}`;
  const install = await packages.publish({
    [name]: {
      "package.json": packageJson(name),
      "index.js": `module.exports = ${JSON.stringify(said)};`,
    },
  });
  const document = { ...JSON.parse(install["package.json"] ?? ""), type: "module" };
  const program = workflow("", {
    before: `import word from ${JSON.stringify(name)};`,
    handle: "response.end(word);",
  });
  const files = { ...install, "package.json": JSON.stringify(document), "app.js": program };
  return new Uint8Array(await buildArchive({ files }));
}

async function word(url: string): Promise<string> {
  return (await deployClient(url).call("/run/anything", {})).text();
}

async function rollBack(url: string, build: number): Promise<void> {
  const back = await deployClient(url).send("POST", "/environments/production/rollback", {});
  expect([back.status, await back.json()]).toMatchObject([201, { build: { number: build } }]);
}
