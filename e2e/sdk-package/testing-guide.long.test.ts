import { execFile } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "../code-blocks.ts";
import { type InstalledProject, installProject } from "./installed-project.ts";

const GUIDE = "docs/guide/testing-a-workflow.md";
const ROOT = join(import.meta.dirname, "../..");
/** Packages come from the registry, which may take its time. */
const INSTALL_MS = 300_000;

let project: InstalledProject;

beforeAll(async () => {
  project = await installProject();
  for (const { info, code } of codeBlocks(GUIDE)) {
    const file = /^(?:ts|json) file=(\S+)$/.exec(info)?.[1];
    if (file === undefined) continue;
    await mkdir(dirname(join(project.folder, file)), { recursive: true });
    await writeFile(join(project.folder, file), code);
  }
  await link("vitest", "vite", "@types/node");
}, INSTALL_MS);
afterAll(() => project[Symbol.asyncDispose]());

/** Gives the project packages that the repository has: the same as if npm had installed them, but at once. */
async function link(...names: string[]): Promise<void> {
  for (const name of names) {
    const place = join(project.folder, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), place);
  }
}

interface Ended {
  readonly code: number;
  readonly said: string;
}

/** Runs a program of an installed package, or Node itself, in the project. */
function run(...args: string[]): Promise<Ended> {
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: project.folder, env }, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : -1;
      resolve({ code, said: stripVTControlCharacters(stdout + stderr) });
    });
  });
}

const VITEST = "node_modules/vitest/vitest.mjs";

describe("a project that tests decorated routes", () => {
  it("is told to install esbuild, which compiles them", async () => {
    const { code, said } = await run(VITEST, "run");
    expect(code).toBe(1);
    expect(said).toContain("which is not installed. Run: npm install --save-dev esbuild");
  });

  it("tests them with Vitest as the guide says", async () => {
    await link("esbuild");
    const { code, said } = await run(VITEST, "run");
    expect(said).toMatch(/Tests +5 passed \(5\)/);
    expect(code).toBe(0);
  });

  it("could not without the plugin", async () => {
    const { code, said } = await run(VITEST, "run", "--config", "none.config.ts", "--root", ".");
    expect(code).toBe(1);
    expect(said).not.toMatch(/5 passed/);
  });

  it("names the line of the source where a route fails", async () => {
    const broken = join(project.folder, "broken");
    await mkdir(broken);
    const support = `import * as ag from "@agate/sdk";

class Config extends ag.BaseModel {}

export class Support {
  @ag.route("/fail", Config)
  static fail(): string {
    throw new Error("Line 8.");
  }
}
`;
    await writeFile(join(broken, "support.ts"), support);
    const test = `import { it } from "vitest";
import { Support } from "./support.ts";
it("fails", () => void (Support.fail as () => string)());
`;
    await writeFile(join(broken, "support.test.ts"), test);
    const { code, said } = await run(VITEST, "run", "broken");
    await rm(broken, { recursive: true });
    expect(code).toBe(1);
    expect(said).toContain("broken/support.ts:8:");
  });

  it("builds them with Vite", async () => {
    const built = await run(
      "node_modules/vite/bin/vite.js",
      ...["build", "--config", "vitest.config.ts", "--ssr", "app.ts", "--outDir", "built"],
    );
    expect(built).toMatchObject({ code: 0 });
    const program = `
      import { app } from "./built/app.js";
      const body = JSON.stringify({ inputs: { ticket: "refund" } });
      const headers = { "content-type": "application/json" };
      const url = "http://app.test/playground/run/classify";
      const answer = await app.fetch(new Request(url, { method: "POST", headers, body }));
      console.log((await answer.json()).data);`;
    expect(await run("--input-type=module", "--eval", program)).toEqual({
      code: 0,
      said: "billing\n",
    });
  });

  it("tests functions with node:test as the guide says", async () => {
    const [command] = codeBlocks(GUIDE).filter(({ info }) => info === "sh run=node");
    const [node, ...args] = command!.code.trim().split(" ");
    expect(node).toBe("node");
    const { code, said } = await run(...args);
    expect([code, said]).toEqual([0, expect.stringMatching(/pass 2\n.*fail 0/s)]);
  });

  it("has no errors of type, its configuration included", async () => {
    const sources = ["vitest.config.ts", "app.ts", "app.test.ts", "test/summarize.ts"];
    const settings = { module: "nodenext", lib: ["es2023"], types: ["node"], skipLibCheck: true };
    expect(await project.check(settings, sources)).toBe("");
  });
});
