import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";
import { env, FILES, makePackedProject } from "./packed-project.fixture.ts";

const run = promisify(execFile);
const packages = join(import.meta.dirname, "../../packages");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-init-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A folder of its own, with these entries in it. */
async function folderWith(name: string, ...entries: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  for (const entry of entries) {
    if (entry.endsWith("/")) await mkdir(join(path, entry));
    else await writeFile(join(path, entry), "mine");
  }
  return path;
}

describe("a new project of the packed packages", () => {
  let project: string;
  let said: string;
  beforeAll(async () => {
    ({ project, said } = await makePackedProject(folder));
  }, 120_000);

  it("says how to go on", () => {
    expect(said).toContain("Next:\n  cd 'support desk'\n  npm run dev\n");
    expect(said).toMatch(/✓ npm install +[\d.]+ m?s\n/);
  });

  it.each(["typecheck", "test", "eval"])("passes npm run %s at once", async (script) => {
    const { stdout } = await run("npm", ["run", script], { cwd: project, env });
    if (script === "test") expect(stdout).toMatch(/pass [1-9]/);
    if (script === "eval") expect(stdout).toContain("✓ Passed.");
  });

  it("has its command at hand", async () => {
    const { stdout } = await run("npx", ["agate", "--version"], { cwd: project, env });
    const manifest = await readFile(join(packages, "cli/package.json"), "utf8");
    expect(stdout.trim()).toBe(JSON.parse(manifest).version);
  });
});

describe("agate init", () => {
  it("makes a project in a folder that has only its repository and a licence", async () => {
    const cwd = await folderWith("my-desk", ".git/", "LICENSE");
    const ended = await runAgate(["init", "--no-install", "--json"], { cwd });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout)).toEqual({
      directory: cwd,
      name: "my-desk",
      files: FILES,
      installed: false,
    });
    expect((await readdir(cwd)).sort()).toEqual([".git", "LICENSE", ...FILES].sort());
    expect(await readFile(join(cwd, "LICENSE"), "utf8")).toBe("mine");
  });

  it("asks for the same versions as its own", async () => {
    await runInProcess(["init", join(folder, "versions"), "--no-install"]);
    const { version } = JSON.parse(await readFile(join(packages, "cli/package.json"), "utf8"));
    const manifest = JSON.parse(await readFile(join(folder, "versions/package.json"), "utf8"));
    expect(manifest).toMatchObject({
      dependencies: { "@agate/sdk": version },
      devDependencies: { "@agate/cli": version },
    });
  });

  it("does not install with --no-install", async () => {
    const ended = await runAgate(["init", "later", "--no-install"], { cwd: folder });
    expect(ended.stdout).toContain("Next:\n  cd later\n  npm install\n  npm run dev\n");
  });

  it("touches nothing in a folder that is in use, and names what is there", async () => {
    const cwd = await folderWith("in-use", "app.ts", "notes.txt");
    const ended = await runInProcess(["init", cwd]);
    expectRefusal(ended, 1, /is not empty: there is app\.ts, notes\.txt\. Nothing was changed\./);
    expect(await readdir(cwd)).toEqual(["app.ts", "notes.txt"]);
  });

  it("does not take a file for a folder", async () => {
    const cwd = await folderWith("with-file", "file");
    expectRefusal(await runInProcess(["init", join(cwd, "file")]), 1, /is a file/);
  });

  it.each(["Support", "a b", "-", "x".repeat(65), "../up"])("refuses the name %j", async (name) => {
    const ended = await runInProcess(["init", join(folder, "refused"), `--name=${name}`]);
    expectRefusal(ended, 2, /lower-case letters and digits/);
    expect(await readdir(folder)).not.toContain("refused");
  });

  it("asks for a name where the folder's makes none", async () => {
    expectRefusal(await runInProcess(["init", join(folder, "猫")]), 2, /give one with --name/);
  });

  it("tells programs of a failure as JSON", async () => {
    const cwd = await folderWith("in-use-too", "app.ts");
    const ended = await runInProcess(["init", cwd, "--json"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(ended.stderr)).toMatchObject({
      error: { message: expect.stringContaining("is not empty") },
    });
  });
});
