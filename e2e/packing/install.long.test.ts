import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PackedBuild, packApp } from "../../packages/cli/src/packing/pack-app.ts";
import { startBuild, unpack } from "./running-build.fixture.ts";
import { ECHO, makeFolder, npm, packSdk, type UserFolder } from "./user-project.fixture.ts";

/** Packages come from the registry, which may take its time. */
const INSTALL_MS = 120_000;

/** What the page about build archives tells the platform to run. */
const INSTALL = /^npm (ci .*)$/m;

async function installCommand(): Promise<string[]> {
  const page = join(import.meta.dirname, "../../docs/reference/build-archive.md");
  return INSTALL.exec(await readFile(page, "utf8"))![1]!.split(" ");
}

async function packed(file: string): Promise<PackedBuild> {
  const outcome = await packApp(file, {});
  if (outcome.kind === "packed") return outcome;
  throw new Error(JSON.stringify(outcome));
}

function json(build: PackedBuild, name: string) {
  return JSON.parse(Buffer.from(build.files.get(name)!).toString());
}

async function version(folder: string, name: string): Promise<string> {
  return JSON.parse(await readFile(join(folder, "node_modules", name, "package.json"), "utf8"))
    .version;
}

/** Folders of packages, those of others inside them too. */
async function installed(folder: string): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8"));
  return Object.keys(lock.packages);
}

describe("a project of npm", () => {
  let user: UserFolder;

  beforeAll(async () => {
    user = await makeFolder({
      "lib/package.json": { name: "@acme/lib", version: "1.0.0", type: "module", main: "index.js" },
      "lib/index.js": "export const half = (n) => n / 2;",
      "app/app.ts": `${ECHO}
        import { half } from "@acme/lib";
        import isOdd from "is-odd";
        export const odd = ag.route("/odd", EchoConfig)(async ({ n }: { n: number }) => isOdd(half(n)));`,
    });
    const sdk = await packSdk(user.path);
    await user.write({
      "app/package.json": {
        name: "app",
        type: "module",
        engines: { node: ">=24" },
        dependencies: {
          "@agate/sdk": `file:${sdk}`,
          "@acme/lib": "file:../lib",
          "is-odd": "^3.0.0",
          ms: "2.1.2",
        },
        devDependencies: { "left-pad": "1.3.0" },
        // npm would never choose it: it is older than what is-odd asks for.
        overrides: { "is-number": "5.0.0", ms: "$ms" },
      },
    });
    await npm(user.at("app"), "install");
  }, INSTALL_MS);
  afterAll(() => user[Symbol.asyncDispose]());

  it("is packed with the packages that it imports and what they need, as they are locked", async () => {
    const build = await packed(user.at("app/app.ts"));
    expect(json(build, "package.json")).toEqual({
      name: "agate-build",
      private: true,
      type: "module",
      dependencies: { "is-odd": "^3.0.0" },
      overrides: { "is-number": "5.0.0", ms: "2.1.2" },
    });
    const { packages } = json(build, "package-lock.json");
    expect(Object.keys(packages)).toEqual(["", "node_modules/is-number", "node_modules/is-odd"]);
    expect(build.manifest).toMatchObject({ node: ">=24", install: { package_manager: "npm" } });
  });

  it(
    "runs with them, installed by the documented command and linked beside it",
    async () => {
      const build = await packed(user.at("app/app.ts"));
      await using cache = await makeFolder();
      await using elsewhere = await makeFolder();
      await unpack(build.files, elsewhere.path);
      for (const name of ["package.json", "package-lock.json"]) {
        await cache.write({ [name]: Buffer.from(build.files.get(name)!).toString() });
      }
      await npm(cache.path, ...(await installCommand()));
      expect(await installed(cache.path)).toEqual([
        "node_modules/is-number",
        "node_modules/is-odd",
      ]);
      expect(await version(cache.path, "is-number")).toBe("5.0.0");
      await symlink(cache.at("node_modules"), elsewhere.at("node_modules"));
      await using running = await startBuild(elsewhere.path);
      expect(await running.call("/odd", { n: 6 })).toBe(true);
    },
    INSTALL_MS,
  );
});

describe("a workspace of npm", () => {
  let user: UserFolder;

  beforeAll(async () => {
    user = await makeFolder({
      "packages/lib/index.ts": `
        import { trace } from "@opentelemetry/api";
        import { ExportResultCode } from "@opentelemetry/core";
        import isOdd from "is-odd";
        export const odd = (n: number): boolean => isOdd(n);
        export const success = ExportResultCode.SUCCESS;
        export const provider = () => trace.getTracerProvider().constructor.name;`,
      "packages/app/app.ts": `${ECHO}
        import isNumber from "is-number";
        import { odd, provider, success } from "@acme/lib";
        export const check = ag.route("/check", EchoConfig)(async ({ n }: { n: number }) => [
          isNumber(n), odd(n), success, provider(),
        ]);`,
      // Something that takes the root's place, so that the app's own goes below the app.
      "packages/other/package.json": { name: "other", dependencies: { "is-number": "7.0.0" } },
    });
    const sdk = await packSdk(user.path);
    await user.write({
      "package.json": {
        private: true,
        workspaces: ["packages/*"],
        dependencies: { "is-number": "7.0.0", "left-pad": "1.3.0" },
      },
      "packages/lib/package.json": {
        name: "@acme/lib",
        version: "1.0.0",
        type: "module",
        main: "index.ts",
        dependencies: {
          "is-odd": "3.0.1",
          "@opentelemetry/api": "^1.9.0",
          "@opentelemetry/core": "2.0.1",
        },
      },
      "packages/app/package.json": {
        name: "app",
        type: "module",
        dependencies: { "@agate/sdk": `file:${sdk}`, "@acme/lib": "1.0.0", "is-number": "4.0.0" },
      },
    });
    await npm(user.path, "install");
  }, INSTALL_MS);
  afterAll(() => user[Symbol.asyncDispose]());

  it(
    "gives each of its packages what it had",
    async () => {
      expect(await readdir(user.at("packages/app/node_modules"))).toContain("is-number");
      const build = await packed(user.at("packages/app/app.ts"));
      expect(json(build, "package.json").dependencies).toEqual({
        "@opentelemetry/api": "^1.9.0",
        "@opentelemetry/core": "2.0.1",
        "is-number": "4.0.0",
        "is-odd": "3.0.1",
      });
      await using elsewhere = await makeFolder();
      await unpack(build.files, elsewhere.path);
      await npm(elsewhere.path, ...(await installCommand()));
      expect(await version(elsewhere.path, "is-number")).toBe("4.0.0");
      expect(await version(elsewhere.path, "is-odd/node_modules/is-number")).toBe("6.0.0");
      expect(await installed(elsewhere.path)).not.toContain("node_modules/left-pad");
      await using running = await startBuild(elsewhere.path);
      expect(await running.call("/check", { n: 3 })).toEqual([
        true,
        true,
        0,
        "ProxyTracerProvider",
      ]);
    },
    INSTALL_MS,
  );

  it("has one copy of OpenTelemetry's API: that which other packages use", async () => {
    const build = await packed(user.at("packages/app/app.ts"));
    const program = Buffer.from(build.files.get("app.js")!).toString();
    expect(program).toMatch(/from "@opentelemetry\/api"/);
    expect(program).not.toContain("opentelemetry.js.api.");
    await user.write({ "packages/app/alone.ts": ECHO });
    const alone = await packed(user.at("packages/app/alone.ts"));
    expect(Buffer.from(alone.files.get("app.js")!).toString()).toContain("opentelemetry.js.api.");
    expect(alone.manifest.install).toBeNull();
  });

  it("says where sources that become one file want two versions", async () => {
    await user.write({
      "packages/app/two.ts": `${ECHO}
        import isNumber from "is-number";
        import "@acme/wants-another";
        console.log(isNumber(1));`,
      "packages/another/package.json": {
        name: "@acme/wants-another",
        main: "index.js",
        dependencies: { "is-number": "7.0.0" },
      },
      "packages/another/index.js": 'import isNumber from "is-number";\nisNumber(1);\n',
    });
    await symlink(user.at("packages/another"), user.at("node_modules/@acme/wants-another"));
    const outcome = await packApp(user.at("packages/app/two.ts"), {});
    expect(outcome).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("is-number is needed in versions 4.0.0 and 7.0.0"),
    });
  });
});
