import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRegistry } from "../../registry/open-registry.ts";
import type { Registry } from "../../registry/registry.ts";
import { newBuild } from "../../registry/testing/go-live.fixture.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresRegistry } from "./open-postgres-registry.ts";
import type { BuildArchives } from "./shared-builds.ts";

let server: PostgresDatabases;
let registry: Registry;
let archives: BuildArchives;
beforeAll(async () => {
  server = await sharedPostgres();
  const database = await openPostgresRegistry(await server.createDatabase());
  registry = await openRegistry(database);
  ({ archives } = database.sharedBuilds);
});
afterAll(async () => {
  await registry.close();
});

interface Begun {
  readonly application: string;
  readonly builds: readonly string[];
}

/** An application with so many builds, by their ids. */
async function begin(slug: string, count: number): Promise<Begun> {
  const application = await registry.applications.ensure("default", slug);
  if (application.kind === "refused") throw new Error(application.problems[0].msg);
  const builds: string[] = [];
  for (let n = 0; n < count; n++) {
    const begun = await registry.builds.begin(
      { project: "default", application: slug },
      newBuild(),
    );
    if (begun.kind === "done") builds.push(begun.value.id);
  }
  return { application: application.value.id, builds };
}

it("gives back what it was given, byte by byte, also where it takes several rows", async () => {
  const sizes = [1, 1024 ** 2 - 1, 1024 ** 2, 1024 ** 2 + 1, 3 * 1024 ** 2 + 17];
  const { builds } = await begin("sizes", sizes.length);
  for (const [n, build] of builds.entries()) {
    // Part of something larger, as what was read from a connection may be.
    const archive = randomBytes((sizes[n] ?? 0) + 10).subarray(5, -5);
    await archives.keep(build, archive);
    const read = await archives.read(build);
    expect(read?.byteLength).toBe(sizes[n]);
    expect(archive.equals(read ?? Buffer.of())).toBe(true);
  }
});

it("keeps nothing of a build whose application was deleted meanwhile", async () => {
  await archives.keep("bld_none", randomBytes(10));
  expect(await archives.read("bld_none")).toBeUndefined();
});

it("removes that of one build alone", async () => {
  const { builds } = await begin("removed", 2);
  for (const build of builds) await archives.keep(build, Buffer.from("x"));
  await archives.remove(builds[0] ?? "");
  const found = await Promise.all(builds.map((build) => archives.read(build)));
  expect(found.map((archive) => archive !== undefined)).toEqual([false, true]);
});

it("keeps those that it is told to, and those of other applications", async () => {
  const one = await begin("one", 3);
  const two = await begin("two", 1);
  const all = [...one.builds, ...two.builds];
  for (const build of all) await archives.keep(build, Buffer.from("x"));
  const kept = async () => {
    const found = await Promise.all(all.map((build) => archives.read(build)));
    return found.map((archive) => archive !== undefined);
  };
  await archives.keepOnly(one.application, new Set([...one.builds.slice(1, 2), "bld_none"]), null);
  expect(await kept()).toEqual([false, true, false, true]);
  await archives.keepOnly(two.application, new Set(), null);
  expect(await kept()).toEqual([false, true, false, false]);
  await registry.applications.delete({ project: "default", application: "one" });
  expect(await kept()).toEqual([false, false, false, false]);
});
