import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  evaluate,
  type InstalledProject,
  installNode,
  installProject,
  startProgram,
} from "./installed-project.ts";

/** Packages come from the registry, which may take its time. */
const INSTALL_MS = 300_000;

let project: InstalledProject;
let nodes: Readonly<Record<"22" | "24", string>>;

beforeAll(async () => {
  project = await installProject();
}, INSTALL_MS);
afterAll(() => project[Symbol.asyncDispose]());

describe("the packed SDK", () => {
  it("brings only what it shares with its users", async () => {
    const modules = join(project.folder, "node_modules");
    const packages = (await readdir(modules)).filter((name) => !name.startsWith("."));
    expect(packages).toEqual(["@agate", "@opentelemetry", "@standard-schema"]);
    expect(await readdir(join(modules, "@opentelemetry"))).toEqual(["api"]);
  });

  it("names every package inside it, with its licence", async () => {
    const installed = join(project.folder, "node_modules/@agate/sdk");
    const licences = await readFile(join(installed, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    const packages = [...licences.matchAll(/^(\S+) \S+ \((.+)\)\n=+$/gm)].map(([, name]) => name);
    expect(packages).toEqual(
      expect.arrayContaining([
        "@opentelemetry/core",
        "@opentelemetry/sdk-trace",
        "@pydantic/genai-prices",
      ]),
    );
    expect(licences).not.toContain("(undefined)");
    expect(await readdir(installed)).toContain("LICENSE");
  });

  it("leaves nothing to publint", async () => {
    const tarball = await readFile(project.tarball);
    const { messages, pkg } = await publint({
      pack: {
        tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length),
      },
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg!))).toEqual([]);
  });

  it("resolves every path that it exports", async () => {
    const { exports } = JSON.parse(
      await readFile(join(project.folder, "node_modules/@agate/sdk/package.json"), "utf8"),
    );
    const names = Object.keys(exports).filter((path) => path !== "./package.json");
    const loaded = names.map(
      (path) => `(async () => [
      ${JSON.stringify(path)},
      Object.keys(await import(${JSON.stringify(path.replace(".", "@agate/sdk"))})).length > 0,
    ])()`,
    );
    const code = `console.log(JSON.stringify(await Promise.all([${loaded.join()}])));`;
    expect(await evaluate(process.execPath, project, code)).toEqual(
      names.map((path) => [path, true]),
    );
  });

  it("does nothing by being loaded", async () => {
    const code = `
      const state = () => [
        Reflect.ownKeys(globalThis).map(String),
        Object.getOwnPropertySymbols(globalThis).map(String),
        process.eventNames().map(String),
        process.getActiveResourcesInfo().filter((name) => name.includes("Timeout")),
      ];
      await import("@opentelemetry/api");
      const before = state();
      await Promise.all(["", "/assets", "/client"].map((path) => import("@agate/sdk" + path)));
      console.log(JSON.stringify({ before, after: state() }));`;
    const { before, after } = (await evaluate(process.execPath, project, code)) as Loaded;
    expect(after).toEqual(before);
  });
});

interface Loaded {
  readonly before: unknown;
  readonly after: unknown;
}

describe("a project with it", () => {
  beforeAll(async () => {
    await project.compile("workflow.ts", "serve.ts", "call.ts");
    nodes = { 22: await installNode(project, "22.23.3"), 24: process.execPath };
  }, INSTALL_MS);

  it.each(["22", "24"] as const)("serves and calls its routes on Node %s", async (version) => {
    const node = nodes[version];
    await using server = await startProgram(node, project, "serve.js");
    const code = `
      import { call } from "./call.js";
      console.log(JSON.stringify([process.version, await call(${JSON.stringify(server.line)})]));`;
    expect(await evaluate(node, project, code)).toEqual([
      expect.stringMatching(`^v${version}\\.`),
      {
        summary: "ONE TWO",
        model: "gpt-5-mini",
        children: ["TASK first words", "TOOL tone"],
        chunks: ["a", "b", "c"],
        classified: "urgent: help",
        closed: "Bye, help",
        at: "1970-01-01T00:00:00.000Z",
        refused: 422,
      },
    ]);

    server.child.kill("SIGTERM");
    expect(await once(server.child, "exit")).toEqual([null, "SIGTERM"]);
  });
});

const SOURCES = ["workflow.ts", "serve.ts", "call.ts"] as const;

const RESOLUTIONS = {
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
} as const;

/** Neither has the library that `using` needs: the SDK brings it. */
const GLOBALS = {
  "Node's globals": { lib: ["es2022"], types: ["node"] },
  "a browser's globals": { lib: ["es2022", "dom", "dom.iterable"], types: [] },
} as const;

describe("the types of a project with it", () => {
  beforeAll(async () => {
    await project.install("typescript@5.9", "@types/node@22");
  }, INSTALL_MS);

  const oldCompiler = () => join(project.folder, "node_modules/typescript/bin/tsc");
  const combinations = Object.keys(RESOLUTIONS).flatMap((resolution) =>
    Object.keys(GLOBALS).flatMap((globals) =>
      ["7", "5.9"].map((version) => [resolution, globals, version] as const),
    ),
  );

  it.each(combinations)(
    "hold with %s, %s and TypeScript %s",
    async (resolution, globals, version) => {
      const settings = {
        ...RESOLUTIONS[resolution as keyof typeof RESOLUTIONS],
        ...GLOBALS[globals as keyof typeof GLOBALS],
      };
      const compiler = version === "7" ? undefined : oldCompiler();
      expect(await project.check(settings, SOURCES, compiler)).toBe("");
    },
  );

  it("are not any", async () => {
    const settings = { ...RESOLUTIONS.nodenext, ...GLOBALS["Node's globals"] };
    expect(await project.check(settings, ["wrong.ts"])).toBe("");
  });

  it.each(["3.25", "4"])(
    "take the schemas of zod %s where it is installed",
    async (version) => {
      await project.install(`zod@${version}`);
      const settings = { ...RESOLUTIONS.nodenext, ...GLOBALS["Node's globals"] };
      expect(await project.check(settings, ["with-zod.ts"])).toBe("");
      await project.compile("with-zod.ts");
      const code = `import { rating } from "./with-zod.js"; console.log(await rating);`;
      expect(await evaluate(process.execPath, project, code)).toBe(3);
    },
    INSTALL_MS,
  );
});
