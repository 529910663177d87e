import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAgate } from "../run-agate.ts";
import { env, FILES, makePackedProject } from "./packed-project.fixture.ts";

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-init-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a new project of the packed packages", () => {
  let project: string;
  beforeAll(async () => {
    ({ project } = await makePackedProject(folder));
  });

  it("has a test that fails when the workflow does something else", async () => {
    const app = join(project, "app.ts");
    const text = await readFile(app, "utf8");
    await writeFile(app, text.replace("- $", "* $"));
    const failed = run("npm", ["test"], { cwd: project, env });
    await expect(failed).rejects.toMatchObject({ stdout: expect.stringContaining("fail 1") });
    await writeFile(app, text);
  });

  it("has an evaluation that fails when the summaries get worse", async () => {
    const app = join(project, "app.ts");
    const text = await readFile(app, "utf8");
    await writeFile(app, text.replace('picked.join(" ")', '"It is great."'));
    const failed = run("npm", ["run", "eval"], { cwd: project, env });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("✗ Failed"),
    });
    await writeFile(app, text);
  });

  it("has types that refuse a wrong one", async () => {
    const wrong = join(project, "wrong.ts");
    await writeFile(
      wrong,
      `import { SummarizeConfig } from "./app.ts";\nnew SummarizeConfig().format === "poem";\n`,
    );
    const failed = run("npm", ["run", "typecheck"], { cwd: project, env });
    await expect(failed).rejects.toMatchObject({ stdout: expect.stringContaining('"poem"') });
    await rm(wrong);
  });
});

describe("agate init", () => {
  it("keeps the project where npm cannot install, and says what to do", async () => {
    const flags = ["init", "offline", "--sdk", "./missing.tgz", "--cli", "./missing.tgz"];
    const offline = { ...env, npm_config_offline: "true" };
    const ended = await runAgate(flags, { cwd: folder, env: offline });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/missing\.tgz/);
    expect(ended.stderr).toMatch(
      /agate: The project was created, but `npm install` failed\. Run `npm install` in it/,
    );
    expect(await readdir(join(folder, "offline"))).toEqual(FILES);
  });
});
