import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { packTar } from "modern-tar";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildArchive, fileEntry } from "./testing/build-archive.fixture.ts";
import { unpackArchive } from "./unpack-archive.ts";

const LIMITS = { mostUnpackedBytes: 1024 * 1024 };

let outside: string;
let folder: string;
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), "agate-unpack-"));
  folder = await mkdtemp(join(outside, "build-"));
});
afterEach(() => rm(outside, { recursive: true }));

const FILES = { "app.js": "console.log(1)", "prompts/one.txt": "Say one.", "empty.txt": "" };

async function reasonFor(archive: Uint8Array): Promise<string> {
  const outcome = await unpackArchive(archive, folder, LIMITS);
  // No archive may write a file outside the folder.
  expect(await readdir(outside)).toHaveLength(1);
  return outcome.kind === "invalid" ? outcome.reason : outcome.kind;
}

it("writes every file as it was packed", async () => {
  const outcome = await unpackArchive(await buildArchive({ files: FILES }), folder, LIMITS);
  expect(outcome).toMatchObject({ kind: "unpacked", manifest: { entry: "app.js" } });
  const names = await readdir(folder, { recursive: true });
  expect(names.toSorted()).toEqual(
    [...Object.keys(FILES), "agate-build.json", "prompts"].toSorted(),
  );
  for (const [path, content] of Object.entries(FILES)) {
    expect(await readFile(join(folder, path), "utf8")).toBe(content);
  }
});

describe("refuses", () => {
  it.each([
    ["what is not gzip", Buffer.from("hello"), /^It is damaged: incorrect header check\.$/],
    ["nothing at all", Buffer.alloc(0), /^It is damaged: unexpected end of file\.$/],
    [
      "gzip of what is not tar",
      gzipSync(Buffer.alloc(2048, "x")),
      /^It is damaged: Invalid tar number\.$/,
    ],
  ])("%s", async (_, archive, reason) => {
    expect(await reasonFor(archive)).toMatch(reason);
  });

  it("an archive that was cut off anywhere", async () => {
    const whole = await buildArchive({ files: FILES });
    for (let length = 0; length < whole.length - 8; length += 7) {
      expect(await reasonFor(whole.subarray(0, length))).toMatch(/^It is damaged/);
      await rm(folder, { recursive: true });
      folder = await mkdtemp(join(outside, "build-"));
    }
  });

  it("a bomb, before it has taken the memory or the disk", async () => {
    const bomb = gzipSync(await packTar([fileEntry("app.js", "\0".repeat(64 * 1024 * 1024))]));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await reasonFor(bomb)).toBe("It unpacks to more than 1048576 bytes.");
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(["symlink", "link", "directory", "character-device", "fifo"] as const)(
    "a %s",
    async (type) => {
      const header = { name: "x", size: 0, type, linkname: "/etc/passwd" };
      expect(await reasonFor(await buildArchive({ files: FILES, entries: [{ header }] }))).toBe(
        `"x" is a ${type}; a build has regular files only.`,
      );
    },
  );

  it.each(["../x", "/x", "a/../../x", "a//x", "./x", "C:x", "a\\x", "x\u0000y", ""])(
    "the path %j, in the manifest and beside it",
    async (path) => {
      const named = await buildArchive({ files: { ...FILES, [path]: "!" } });
      expect(await reasonFor(named)).toMatch(/^agate-build\.json is not as it should be: files\./);
      const unnamed = await buildArchive({ files: FILES, entries: [fileEntry(path, "!")] });
      expect(await reasonFor(unnamed)).toMatch(/which the manifest does not name\.$/);
    },
  );

  it("the same file twice", async () => {
    const entries = [fileEntry("app.js", FILES["app.js"])];
    expect(await reasonFor(await buildArchive({ files: FILES, entries }))).toBe(
      'It has "app.js" twice.',
    );
  });

  it("a second manifest", async () => {
    const entries = [fileEntry("agate-build.json", "{}")];
    expect(await reasonFor(await buildArchive({ files: FILES, entries }))).toBe(
      'It has "agate-build.json" twice.',
    );
  });

  it("a file that is a folder, too", async () => {
    expect(await reasonFor(await buildArchive({ files: { ...FILES, prompts: "" } }))).toBe(
      '"prompts" is both a file and a folder.',
    );
  });

  it("packages of its own where some are to be installed", async () => {
    const files = {
      ...FILES,
      "package.json": "{}",
      "package-lock.json": "{}",
      "node_modules/x/index.js": "",
    };
    expect(await reasonFor(await buildArchive({ files }))).toMatch(/leave it out\.$/);
  });

  it("a file that the manifest names and that is not there", async () => {
    const [, ...others] = Object.entries(FILES);
    const manifest = JSON.parse(await manifestText(FILES));
    expect(
      await reasonFor(await buildArchive({ files: Object.fromEntries(others), manifest })),
    ).toBe('It lacks "app.js", which the manifest names.');
  });

  it("more files than there may be", async () => {
    const files = Array.from({ length: 10_001 }, (_, n) => ({
      path: n === 0 ? "app.js" : `f${n}`,
      size: 0,
      sha256: "0".repeat(64),
    }));
    expect(await reasonFor(await buildArchive({ files: {}, manifest: { files } }))).toBe(
      "It has more than 10000 files.",
    );
  });

  it("another format, and names the field", async () => {
    expect(await reasonFor(await buildArchive({ files: FILES, manifest: { format: 2 } }))).toMatch(
      /^agate-build\.json is not as it should be: format: /,
    );
  });
});

it("takes no byte that was changed after packing", async () => {
  const tar = await packTar([
    fileEntry("app.js", FILES["app.js"]),
    fileEntry("agate-build.json", await manifestText({ "app.js": FILES["app.js"] })),
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: tar.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (position, change) => {
        const changed = tar.slice();
        changed[position] = (changed[position] ?? 0) ^ change;
        const own = await mkdtemp(join(folder, "one-"));
        const outcome = await unpackArchive(gzipSync(changed, { level: 1 }), own, LIMITS);
        // Padding and the manifest's own blanks say nothing; the program's bytes say everything.
        if (outcome.kind === "unpacked") {
          expect(await readFile(join(own, "app.js"), "utf8")).toBe(FILES["app.js"]);
        }
      },
    ),
    { numRuns: 100 },
  );
});

/** What the manifest of these files says. */
async function manifestText(files: Readonly<Record<string, string>>): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), "agate-manifest-"));
  await unpackArchive(await buildArchive({ files }), own, LIMITS);
  const text = await readFile(join(own, "agate-build.json"), "utf8");
  await rm(own, { recursive: true });
  return text;
}
