import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evaluate, type InstalledProject, installProject } from "./installed-project.ts";

/** Packages come from the registry, which may take its time. */
const INSTALL_MS = 300_000;

let project: InstalledProject;
beforeAll(async () => {
  project = await installProject();
}, INSTALL_MS);
afterAll(() => project[Symbol.asyncDispose]());

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
