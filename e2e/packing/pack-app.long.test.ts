import { readdir, rm, symlink, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { buildManifestSchema } from "@agate/protocol/schemas";
import { unpackTar } from "modern-tar";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { formatProblems } from "../../packages/cli/src/packing/code-problem.ts";
import { isIncluded } from "../../packages/cli/src/packing/included-files.ts";
import { type PackedBuild, packApp } from "../../packages/cli/src/packing/pack-app.ts";
import { plainPaint } from "../../packages/cli/src/terminal/plain-paint.fixture.ts";
import { archiveFiles } from "../../packages/platform/src/deployments/builds/archive-files.ts";
import { startBuild, unpack } from "./running-build.fixture.ts";
import { ECHO, installSdk, makeFolder, type UserFolder } from "./user-project.fixture.ts";

const PACKAGE = { name: "@acme/Support Desk", type: "module", dependencies: { "@agate/sdk": "*" } };

let folder: UserFolder;

beforeAll(async () => {
  folder = await makeFolder();
  await installSdk(folder.path);
});
/** The packages of every project: some hundred files. */
const KEPT = ["node_modules", "@agate", "@opentelemetry"];
beforeEach(async () => {
  for (const place of [folder.path, folder.at("node_modules")]) {
    const names = (await readdir(place)).filter((name) => !KEPT.includes(name));
    for (const name of names) await rm(resolve(place, name), { recursive: true });
  }
  await folder.write({ "package.json": PACKAGE, "app.ts": ECHO });
});
afterAll(() => folder[Symbol.asyncDispose]());

async function packed(file = "app.ts", include: readonly string[] = []): Promise<PackedBuild> {
  const outcome = await packApp(folder.at(file), { include });
  if (outcome.kind === "packed") return outcome;
  throw new Error(JSON.stringify(outcome));
}

/** What is said of code that cannot be packed. */
async function complaint(file = "app.ts"): Promise<string> {
  const outcome = await packApp(resolve(folder.path, file), {});
  if (outcome.kind === "broken") return formatProblems(outcome.problems, plainPaint);
  return outcome.kind === "refused" ? outcome.reason : "nothing";
}

describe("a packed program", () => {
  it("serves its routes from a folder of its own", async () => {
    const build = await packed();
    await using elsewhere = await makeFolder();
    await unpack(build.files, elsewhere.path);
    await using running = await startBuild(elsewhere.path);
    expect(await running.call("/echo", { text: "hi" })).toBe(">hi");
  });

  it("has nothing of the eval files beside it, which need not even run", async () => {
    const before = await packed();
    await folder.write({
      "app.eval.ts": `import { echo } from "./app.ts";\nthrow new Error("xyzzy" + echo);`,
      "cases.eval.js": "this does not compile",
    });
    const { files } = await packed();
    expect([...files.keys()]).toEqual([...before.files.keys()]);
    expect(Buffer.compare(files.get("app.js")!, before.files.get("app.js")!)).toBe(0);
    for (const [name, bytes] of files) {
      expect(Buffer.from(bytes).includes("xyzzy"), name).toBe(false);
    }
    await using elsewhere = await makeFolder();
    await unpack(files, elsewhere.path);
    await using running = await startBuild(elsewhere.path);
    expect(await running.call("/echo", { text: "hi" })).toBe(">hi");
  });

  it("says what it is in its manifest, which has nothing to install", async () => {
    const { manifest, files } = await packed();
    expect(manifest).toMatchObject({
      application: "support-desk",
      entry: "app.js",
      install: null,
      node: ">=22.15",
    });
    expect([...files.keys()]).toEqual(["agate-build.json", "app.js", "app.js.map", "package.json"]);
    expect(
      buildManifestSchema.parse(JSON.parse(String(Buffer.from(files.get("agate-build.json")!)))),
    ).toEqual(manifest);
  });

  it("has decorators, JSON, texts, packages of the workspace and CommonJS in it", async () => {
    await using lib = await makeFolder({
      "package.json": { name: "@acme/lib", main: "index.cjs" },
      "index.cjs": `
        const { basename } = require("path");
        module.exports = { shout: (text) => text.toUpperCase(), file: basename(__filename) };`,
    });
    await symlink(lib.path, folder.at("node_modules/@acme-lib"));
    await folder.write({
      "package.json": {
        ...PACKAGE,
        dependencies: { ...PACKAGE.dependencies, "@acme-lib": `file:${lib.path}` },
      },
      "tsconfig.json": { compilerOptions: { paths: { "~/*": ["./src/*"] } } },
      "src/words.json": '{ "words": ["a", "b"] }',
      "src/prompt.md": "Be *kind*.\n",
      "src/desk.ts": `
        import * as ag from "@agate/sdk";
        import lib from "@acme-lib";
        import data from "~/words.json" with { type: "json" };
        import prompt from "./prompt.md";
        class DeskConfig extends ag.BaseModel { prompt = ag.Field(ag.str, { default: prompt }); }
        export class Desk {
          @ag.route("/desk", DeskConfig)
          static async desk({ text }: { text: string }) {
            const { prompt } = await ag.ConfigManager.getFromRoute({ schema: DeskConfig });
            return [lib.shout(text), lib.file, data.words, prompt];
          }
        }`,
      "app.ts": 'export { Desk } from "~/desk.ts";',
    });
    await using elsewhere = await makeFolder();
    await unpack((await packed()).files, elsewhere.path);
    await using running = await startBuild(elsewhere.path);
    expect(await running.call("/desk", { text: "hi" })).toEqual([
      "HI",
      "index.cjs",
      ["a", "b"],
      "Be *kind*.\n",
    ]);
  });

  it("has the files that package.json names, beside those that a command does", async () => {
    const agate = { app: "app.ts", include: ["./prompts/", "data/*.csv"] };
    await folder.write({
      "package.json": { ...PACKAGE, agate },
      "prompts/deep/a.md": "a",
      "data/cities.csv": "b",
      "data/notes.txt": "c",
      "more.txt": "d",
    });
    const { files } = await packed("app.ts", ["more.txt", "data/cities.csv"]);
    expect(
      [...files.keys()].filter((name) => !/^(?:app|package|agate-build)\./.test(name)),
    ).toEqual(["data/cities.csv", "more.txt", "prompts/deep/a.md"]);
    const names = ["prompts/deep/a.md", "data/cities.csv", "data/notes.txt", "more.txt", "data"];
    expect(names.filter((name) => isIncluded(name, agate.include))).toEqual(names.slice(0, 2));
  });

  it("finds what lies beside its sources, where it was included", async () => {
    await folder.write({
      "src/prompts/one.txt": "one",
      "src/prompts/deep/two.txt": "two",
      "src/app.ts": `${ECHO}
        import { readFileSync } from "node:fs";
        import { dirname, join } from "node:path";
        import { fileURLToPath } from "node:url";
        const __dirname = dirname(fileURLToPath(import.meta.url));
        export const read = ag.route("/read", EchoConfig)(async () => [
          readFileSync(join(import.meta.dirname, "prompts/one.txt"), "utf8"),
          readFileSync(new URL("prompts/deep/two.txt", import.meta.url), "utf8"),
          readFileSync(join(__dirname, "prompts/one.txt"), "utf8"),
          readFileSync("src/prompts/one.txt", "utf8"),
        ]);`,
    });
    await using elsewhere = await makeFolder();
    await unpack((await packed("src/app.ts", ["src/prompts"])).files, elsewhere.path);
    await using running = await startBuild(elsewhere.path);
    expect(await running.call("/read", {})).toEqual(["one", "two", "one", "one"]);
  });

  it.each([
    ["serves itself, by each of the tests for that", "isProgram.every(Boolean)", true],
    ["does not", "false", false],
  ])("is served once where it %s", async (_, condition, isServed) => {
    await folder.write({
      "other.ts": "export const isMain = import.meta.main === true;",
      "app.ts": `${ECHO}
        import { pathToFileURL } from "node:url";
        import { isMain } from "./other.ts";
        if (isMain) throw new Error("Another file is not the program.");
        const isProgram = [
          process.argv[1] === import.meta.filename,
          import.meta.url === pathToFileURL(process.argv[1]).href,
          import.meta.main,
        ];
        const isServed = ${condition};
        if (isServed) await ag.serve({ port: 1, hostname: "192.0.2.1" });
        console.log(isProgram.join(), isServed);`,
    });
    await using elsewhere = await makeFolder();
    await unpack((await packed()).files, elsewhere.path);
    await using running = await startBuild(elsewhere.path);
    expect(await running.call("/echo", { text: "hi" })).toBe(">hi");
    running.child.kill("SIGTERM");
    const output = `true,true,true ${isServed}\n`;
    expect(await running.ended).toMatchObject({ output, signal: "SIGTERM" });
  });

  it("names the lines of the sources when it fails", async () => {
    await folder.write({
      "src/fails.ts": `export function fails(): never {\n  throw new Error(import.meta.filename);\n}\n`,
      "app.ts": `${ECHO}import { fails } from "./src/fails.ts";\nfails();\n`,
    });
    await using elsewhere = await makeFolder();
    await unpack((await packed()).files, elsewhere.path);
    await using running = await startBuild(elsewhere.path);
    const { code, output } = await running.ended;
    expect(code).toBe(1);
    expect(output).toContain(`${elsewhere.at("src/fails.ts")}:2:9`);
  });
});

describe("the archive", () => {
  it("is the same for the same sources, wherever and whenever they are packed", async () => {
    await using other = await makeFolder({ "package.json": PACKAGE, "app.ts": ECHO });
    await installSdk(other.path);
    for (const each of [folder, other]) await each.write({ "data/b.txt": "b", "data/a.txt": "a" });
    const archives = await Promise.all(
      [folder, other].map(async ({ at }) => {
        const outcome = await packApp(at("app.ts"), { include: ["data/**"] });
        return outcome.kind === "packed" ? archiveFiles(outcome.files) : undefined;
      }),
    );
    expect(archives[0]).toEqual(archives[1]);
    expect(archives[0]).toBeInstanceOf(Uint8Array);
  });

  it("holds regular files without a time and an owner, and what the manifest says", async () => {
    const { files } = await packed("app.ts");
    const entries = await unpackTar(gunzipSync(await archiveFiles(files)), { strict: true });
    expect(entries.map(({ header }) => header.name)).toEqual([...files.keys()]);
    for (const { header, data } of entries) {
      expect(header).toMatchObject({
        type: "file",
        mode: 0o644,
        mtime: new Date(0),
        uid: 0,
        gid: 0,
      });
      expect(Buffer.from(data!)).toEqual(Buffer.from(files.get(header.name)!));
    }
  });
});

describe("what cannot be packed is refused", () => {
  it("where the code is wrong, with its line", async () => {
    await writeFile(folder.at("app.ts"), "const ä = 1;\n\tconst isGood = tru e;\n");
    expect(await complaint()).toBe(
      'app.ts:2:21: Expected ";" but found "e"\n  2 | \tconst isGood = tru e;\n    | \t                   ^\n',
    );
  });

  it("where a file is imported that is not there", async () => {
    await folder.write({ "app.ts": `${ECHO}import "./missing.ts";\n` });
    expect(await complaint()).toMatch(/^app\.ts:10:8: Could not resolve "\.\/missing\.ts"\n/);
  });

  it("where a package is imported that is not installed", async () => {
    await folder.write({ "app.ts": `${ECHO}import "@acme/missing/part";\n` });
    const said = await complaint();
    expect(said).toContain('Could not resolve "@acme/missing/part"');
    expect(said).toContain("Run npm install @acme/missing.");
  });

  it("where a package is imported that package.json does not declare", async () => {
    await folder.write({
      "node_modules/left/package.json": { name: "left", version: "1.0.0", main: "i.js" },
      "node_modules/left/i.js": "",
      "src/deep.ts": 'import "left";\n',
      "app.ts": `${ECHO}import "./src/deep.ts";\n`,
    });
    expect(await complaint()).toBe(
      'src/deep.ts:1:8: "left" is not among the dependencies of package.json: it would be missing where the program runs\n  1 | import "left";\n    |        ^^^^^^\n  Run npm install left.\n',
    );
    await folder.write({ "package.json": { ...PACKAGE, devDependencies: { left: "1.0.0" } } });
    expect(await complaint()).toContain("Run npm install --save-prod left.");
  });

  it("where the SDK is missing, or too old to be run", async () => {
    await using old = await makeFolder({
      "package.json": PACKAGE,
      "app.ts": ECHO,
      "node_modules/@agate/sdk/package.json": {
        name: "@agate/sdk",
        version: "0.0.1",
        exports: { ".": "./dist/index.js" },
      },
    });
    expect(await complaint(old.at("app.ts"))).toMatch(
      /is too old .* Run npm install @agate\/sdk@latest\.$/,
    );
    await using bare = await makeFolder({ "package.json": {}, "app.ts": ECHO });
    const outcome = await packApp(bare.at("app.ts"), {});
    expect(outcome).toEqual({
      kind: "refused",
      reason: `@agate/sdk is not installed in ${bare.path}. Run npm install @agate/sdk.`,
    });
  });

  it("where package.json is damaged", async () => {
    await folder.write({ "package.json": '{ "name": }' });
    expect(await complaint()).toMatch(/package\.json is not JSON: .*\.$/);
  });

  it("where there is no such file, or no project", async () => {
    expect(await complaint("ap.ts")).toMatch(/^File not found: .*ap\.ts\./);
    await using lost = await makeFolder({ "app.ts": ECHO });
    expect(await packApp(lost.at("app.ts"), {})).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("belongs to no project"),
    });
  });

  it.each([
    ["package-lock.json is not there", {}, "There is no package-lock.json"],
    ["pnpm has locked it", { "pnpm-lock.yaml": "" }, "pnpm's pnpm-lock.yaml"],
    ["package-lock.json is damaged", { "package-lock.json": "{" }, "package-lock.json is not JSON"],
    ["npm 6 has locked it", { "package-lock.json": { lockfileVersion: 1 } }, "of version 1"],
    [
      "another version is installed than locked",
      {
        "package-lock.json": {
          lockfileVersion: 3,
          packages: { "": {}, "node_modules/left": { version: "1.0.1" } },
        },
      },
      "left is installed in version 1.0.0, but package-lock.json says 1.0.1",
    ],
  ])("where %s and packages have to be installed", async (_, files, reason) => {
    await folder.write({
      ...files,
      "node_modules/left/package.json": { name: "left", version: "1.0.0", main: "i.js" },
      "node_modules/left/i.js": "",
      "package.json": { ...PACKAGE, dependencies: { left: "^1.0.0" } },
      "app.ts": `${ECHO}import "left";\n`,
    });
    expect(await complaint()).toContain(reason);
    // Without them, no lockfile is looked at.
    await folder.write({ "app.ts": ECHO });
    expect(await complaint()).toBe("nothing");
  });

  it.each([
    ["../secret.txt", "leaves the project's folder"],
    ["/etc/passwd", "leaves the project's folder"],
    ["prompts/**", "matches no file"],
    ["package.json", "cannot be included"],
  ])("where --include is %s", async (pattern, reason) => {
    const refused = { kind: "refused", reason: expect.stringContaining(reason) };
    expect(await packApp(folder.at("app.ts"), { include: [pattern] })).toMatchObject(refused);
    await folder.write({ "package.json": { ...PACKAGE, agate: { include: [pattern] } } });
    expect(await packApp(folder.at("app.ts"), {})).toMatchObject(refused);
  });

  it.each([
    ["src", '"agate" must be an object'],
    [{ includes: [] }, '"agate" has no setting "includes", only "app", "allow" and "include"'],
    [{ include: "prompts" }, '"agate.include" must be a list of paths and patterns'],
    [{ include: [""] }, '"agate.include" must be a list of paths and patterns'],
    [{ include: ["none"] }, '"agate.include" of package.json: none matches no file'],
    [
      { allow: ["network"] },
      '"agate.allow" must be a list of addons, child-process, worker (got "network")',
    ],
    [{ app: 1 }, '"agate.app" must be the path of a file'],
  ])("where agate in package.json is %j", async (agate, reason) => {
    await folder.write({ "package.json": { ...PACKAGE, agate } });
    expect(await complaint()).toContain(reason);
  });
});
