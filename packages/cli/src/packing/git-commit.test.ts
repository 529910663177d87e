import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gitCommit } from "./git-commit.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agate-git-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Without the settings and variables of who runs the tests. */
const ENV = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CEILING_DIRECTORIES: tmpdir(),
};

function git(...args: string[]): string {
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...author, ...args], { cwd: folder, env: ENV, encoding: "utf8" });
}

it("is the commit of the folder, and says where files differ from it", async () => {
  git("init", "--quiet");
  writeFileSync(join(folder, "app.ts"), "1");
  mkdirSync(join(folder, "src"));
  expect(await gitCommit(folder, ENV)).toBeNull();
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
  const commit = git("rev-parse", "HEAD").trim();
  expect(await gitCommit(folder, ENV)).toBe(commit);
  expect(await gitCommit(join(folder, "src"), ENV)).toBe(commit);
  writeFileSync(join(folder, "app.ts"), "2");
  expect(await gitCommit(folder, ENV)).toBe(`${commit}-dirty`);
  git("checkout", "--quiet", "app.ts");
  writeFileSync(join(folder, "new.ts"), "1");
  expect(await gitCommit(join(folder, "src"), ENV)).toBe(`${commit}-dirty`);
});

it("is null outside of a repository and without git", async () => {
  expect(await gitCommit(folder, ENV)).toBeNull();
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "-m", "first");
  expect(await gitCommit(folder, { ...ENV, PATH: folder })).toBeNull();
});
