import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildArchive } from "../deployments/builds/testing/build-archive.fixture.ts";
import { folderArchives } from "./folder-archives.ts";

const FILES = { "app.js": "export {};", "package.json": "{}", "texts/a.md": "# Ä" };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-archives-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function file(path: string): string {
  return join(directory, "builds/bld_1", path);
}

describe("folderArchives", () => {
  it("unpacks what it is given, and packs the same again", async () => {
    const archives = folderArchives(directory);
    expect(await archives.read("bld_1")).toBeUndefined();
    await archives.keep("bld_1", await buildArchive({ files: FILES }));
    for (const [path, text] of Object.entries(FILES)) {
      expect(readFileSync(file(path), "utf8")).toBe(text);
    }
    const packed = (await archives.read("bld_1")) ?? new Uint8Array();
    await archives.keep("bld_2", packed);
    expect(await archives.read("bld_2")).toEqual(packed);
  });

  it("leaves nothing of what an earlier copy left under the same name", async () => {
    const archives = folderArchives(directory);
    await archives.keep("bld_1", await buildArchive({ files: FILES }));
    await archives.keep("bld_1", await buildArchive({ files: { "app.js": "other" } }));
    expect(readFileSync(file("app.js"), "utf8")).toBe("other");
    expect(existsSync(file("package.json"))).toBe(false);
  });

  it("has no archive of a build whose files are gone or were changed", async () => {
    const archives = folderArchives(directory);
    await archives.keep("bld_1", await buildArchive({ files: FILES }));
    appendFileSync(file("app.js"), " ");
    expect(await archives.read("bld_1")).toBeUndefined();
    writeFileSync(file("app.js"), FILES["app.js"]);
    expect(await archives.read("bld_1")).toBeDefined();
    rmSync(file("texts"), { recursive: true });
    expect(await archives.read("bld_1")).toBeUndefined();
  });
});
