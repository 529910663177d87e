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
      expect.arrayContaining(["@opentelemetry/core", "@pydantic/genai-prices"]),
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

describe("the types of a project with it", () => {
  const settings = { module: "nodenext", lib: ["es2022"], types: ["node"] } as const;
  beforeAll(() => project.install("@types/node@22"), INSTALL_MS);

  // With other compilers, resolutions and globals: packed-types.long.test.ts.
  it("hold", async () => {
    expect(await project.check(settings, ["workflow.ts", "serve.ts", "call.ts"])).toBe("");
  });

  it("are not any", async () => {
    expect(await project.check(settings, ["wrong.ts"])).toBe("");
  });
});
