import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "@agate/protocol";
import { unpackTar } from "modern-tar";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restoreBackup } from "../../backup/restore-backup.ts";
import { storedSpan } from "../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";
import { buildsOf, deploy, workflow } from "./deployments/testing/deploying.fixture.ts";

let platform: TestPlatform;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-backup-"));
});
afterEach(async () => {
  await platform.close();
  await rm(folder, { recursive: true });
});

const take = () => platform.send({ method: "POST", path: "/backups" });

describe("POST /backups", () => {
  it("has the builds that its copy of the registry names, and leaves nothing behind", async () => {
    platform = await startTestPlatform();
    await platform.append([storedSpan()]);
    for (const word of ["one", "two"]) await deploy(platform, "support", workflow(word));
    const response = await take();
    expect(response.status).toBe(200);
    expect(response.headers["content-disposition"]).toMatch(
      /^attachment; filename="agate-\w+\.tar"$/,
    );
    const names = (await unpackTar(response.body)).map(({ header }) => header.name);
    expect(names[0]).toBe("spans.db");
    expect(names.at(-1)).toBe("backup.json");
    const builds = (await buildsOf(platform, "support")) as { id: string }[];
    expect(builds).toHaveLength(2);
    for (const { id } of builds) {
      expect(names).toEqual(expect.arrayContaining([`builds/${id}/app.js`]));
    }
    expect(await readdir(platform.dataDirectory)).not.toContainEqual(
      expect.stringMatching(/^\.backup-/),
    );
    const file = join(folder, "backup.tar");
    await writeFile(file, response.body);
    const manifest = await restoreBackup({
      backup: file,
      dataDirectory: join(folder, "restored"),
      replace: false,
      signal: new AbortController().signal,
    });
    expect(manifest.lost_builds).toEqual([]);
    expect((await readdir(join(folder, "restored/builds"))).sort()).toEqual(
      builds.map(({ id }) => id).sort(),
    );
  });

  it("names a live build whose files are gone or damaged", async () => {
    platform = await startTestPlatform();
    await deploy(platform, "support", workflow("one"));
    await deploy(platform, "sales", workflow("two"), { environment: "staging" });
    await deploy(platform, "sales", workflow("three"), { environment: "production" });
    const [{ id: gone }] = await buildsOf(platform, "support");
    // The one in staging, beside another in production.
    const [{ id: sound }, { id: damaged }] = await buildsOf(platform, "sales");
    await rm(join(platform.dataDirectory, "builds", gone), { recursive: true });
    await writeFile(join(platform.dataDirectory, "builds", damaged, "app.js"), "changed");
    const entries = await unpackTar((await take()).body);
    const manifest = JSON.parse(Buffer.from(entries.at(-1)?.data ?? []).toString());
    expect(manifest.lost_builds.sort()).toEqual([gone, damaged].sort());
    expect(entries.map(({ header }) => header.name)).toEqual([
      "spans.db",
      "registry.db",
      expect.stringContaining(`builds/${sound}/`),
      expect.stringContaining(`builds/${sound}/`),
      expect.stringContaining(`builds/${sound}/`),
      "backup.json",
    ]);
  });

  it("takes one at a time", async () => {
    platform = await startTestPlatform();
    const statuses = await Promise.all([take(), take(), take()]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await take()).status).toBe(200);
  });

  it("needs the scope backup, because it holds every project", async () => {
    platform = await startTestPlatform({ policy: "keys" });
    const { keys } = platform.access;
    const statusFor = async (...scopes: Scope[]) => {
      const { key } = await keys.create("default", { name: scopes.join(" "), scopes });
      const headers = { authorization: `Bearer ${key}` };
      return (await platform.send({ method: "POST", path: "/backups", headers })).status;
    };
    expect(await statusFor("backup")).toBe(200);
    expect(await statusFor("admin", "deploy", "run", "read", "ingest")).toBe(403);
  });
});
