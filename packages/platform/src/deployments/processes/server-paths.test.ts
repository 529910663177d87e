import { homedir } from "node:os";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hidePaths, platformFolders } from "./server-paths.ts";

const hide = hidePaths([
  ["/data/agate", "<data>"],
  ["/data/agate/builds/bld_7", "."],
  ["/data/agate/modules/1f/node_modules", "node_modules"],
  ["/with space/é", "<odd>"],
  ["/", "<root>"],
]);

describe("hidePaths", () => {
  it.each([
    ["at file:///data/agate/builds/bld_7/app.js:3:7", "at app.js:3:7"],
    ["    at run (/data/agate/builds/bld_7/src/a.js:1:1)", "    at run (src/a.js:1:1)"],
    ["cwd /data/agate/builds/bld_7", "cwd ."],
    ["'/data/agate/builds/bld_7'", "'.'"],
    ["/data/agate/modules/1f/node_modules/zod/index.js", "node_modules/zod/index.js"],
    ["/data/agate/modules/2e/node_modules/zod", "<data>/modules/2e/node_modules/zod"],
    ["/data/agate/builds/bld_77/app.js", "<data>/builds/bld_77/app.js"],
    ["/data/agate2/x and /data/agate.bak", "/data/agate2/x and /data/agate.bak"],
    ["ENOENT: '/data/agate', open", "ENOENT: '<data>', open"],
    [`${pathToFileURL("/with space/é/a.js")} /with space/é/a.js`, "<odd>/a.js <odd>/a.js"],
    ["/usr/bin/x", "/usr/bin/x"],
    ["", ""],
  ])("%s becomes %s", (text, shown) => {
    expect(hide(text)).toBe(shown);
  });

  it("leaves no folder in a text, whatever is around it", () => {
    const folders = ["/srv/a", "/srv/a/b", "/srv/a.b/c"] as const;
    const hideAll = hidePaths(folders.map((folder) => [folder, "<x>"]));
    const piece = fc.oneof(
      fc.constantFrom(...folders, ...folders.map((folder) => pathToFileURL(folder).href)),
      fc.constantFrom("/", " ", ":", "'", "\n", "(", "x y"),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join(" ");
        for (const folder of folders) expect(`${hideAll(text)} `).not.toContain(`${folder} `);
      }),
    );
  });

  it("takes time that grows with the text", () => {
    const text = "/data/agate/".repeat(50_000);
    expect(hide(text)).toBe("<data>/".repeat(50_000));
  });
});

it("hides the platform's own folders", () => {
  const shown = hidePaths(platformFolders())(
    `${import.meta.url}:1 ${process.execPath} ${homedir()}/.npmrc`,
  );
  expect(shown).toMatch(/^<agate>\/server-paths\.test\.ts:1 <node>\/node\S* <home>\/\.npmrc$/);
});
