import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** The files that loading a package's root takes, by their paths in this repository. */
async function filesOf(name: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, ".."),
    entryPoints: [`packages/${name}/src/index.ts`],
    bundle: true,
    format: "esm",
    metafile: true,
    write: false,
  });
  const files = Object.keys(metafile.inputs);
  expect(files.length).toBeGreaterThan(1);
  return files;
}

// The SDK loads both roots wherever `fetch` runs.
it("takes no package to load the root of @agate/protocol: schemas, and zod with them, have a door of their own", async () => {
  const files = await filesOf("protocol");
  expect(files.filter((file) => !file.startsWith("packages/protocol/src/"))).toEqual([]);
});

it("takes only @agate/protocol to load the root of @agate/spans: the prices have a door of their own", async () => {
  const files = await filesOf("spans");
  expect(files.filter((file) => !/^packages\/(?:spans|protocol)\/src\//.test(file))).toEqual([]);
  expect(files).not.toContain("packages/spans/src/pricing/prices.gen.json");
});
