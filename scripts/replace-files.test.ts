import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { replaceFiles } from "./replace-files.ts";

const run = promisify(execFile);
const MODULE = pathToFileURL(join(import.meta.dirname, "replace-files.ts")).href;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-replace-files-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function contents(): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1), await readFile(path, "utf8")] as const;
      }),
    ),
  );
}

it("leaves these files and no others", async () => {
  replaceFiles(
    folder,
    new Map([
      ["a.js", "1"],
      ["deep/b.js", "2"],
    ]),
  );
  await writeFile(join(folder, "a.js.unfinished"), "left by a build that was killed");
  replaceFiles(
    folder,
    new Map([
      ["a.js", "3"],
      ["deep/c.js", "4"],
    ]),
  );
  expect(await contents()).toEqual({ "a.js": "3", "deep/c.js": "4" });
});

it("does not touch what has not changed", async () => {
  replaceFiles(
    folder,
    new Map([
      ["same.js", "1"],
      ["other.js", "1"],
    ]),
  );
  const before = await stat(join(folder, "same.js"));
  replaceFiles(
    folder,
    new Map([
      ["same.js", "1"],
      ["other.js", "2"],
    ]),
  );
  const after = await stat(join(folder, "same.js"));
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

it("makes programs of those that are", async () => {
  replaceFiles(
    folder,
    new Map([
      ["run.js", ""],
      ["data.js", ""],
    ]),
    { executable: ["run.js"] },
  );
  const modes = await Promise.all(
    ["run.js", "data.js"].map(async (name) => (await stat(join(folder, name))).mode & 0o100),
  );
  expect(modes).toEqual([0o100, 0]);
});

it("lets builds that run at once take turns: the last one's files are all there", async () => {
  // Each has files of its own, which the others remove, and one that they all write.
  const builds = ["red", "green", "blue"].map((name) => {
    const code = `
      import { replaceFiles } from ${JSON.stringify(MODULE)};
      const files = new Map([["index.js", "${name}"]]);
      for (let part = 0; part < 20; part++) files.set("${name}-" + part + ".js", "x".repeat(50_000));
      for (let turn = 0; turn < 10; turn++) replaceFiles(${JSON.stringify(folder)}, files);`;
    return run(process.execPath, ["--input-type=module", "--eval", code]);
  });
  await Promise.all(builds);
  const { "index.js": last, ...parts } = await contents();
  const expected = Array.from({ length: 20 }, (_, part) => `${last}-${part}.js`);
  expect(Object.keys(parts).toSorted()).toEqual(expected.toSorted());
});

it("never shows half a file", async () => {
  const texts = ["a", "b"].map((letter) => letter.repeat(1_000_000));
  replaceFiles(folder, new Map([["index.js", texts[0]!]]));
  const code = `
    import { replaceFiles } from ${JSON.stringify(MODULE)};
    for (let turn = 0; turn < 50; turn++) {
      const text = (turn % 2 ? "a" : "b").repeat(1_000_000);
      replaceFiles(${JSON.stringify(folder)}, new Map([["index.js", text]]));
    }`;
  const build = run(process.execPath, ["--input-type=module", "--eval", code]);
  let isBuilding = true;
  const ended = build.finally(() => {
    isBuilding = false;
  });
  while (isBuilding) expect(texts).toContain(await readFile(join(folder, "index.js"), "utf8"));
  await ended;
});
