import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";

// The SDK will load the root wherever `fetch` runs; schemas, and zod with them, have a door of
// their own.
it("takes no package to load the root of @agate/protocol", async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, "../packages/protocol/src/index.ts")],
    bundle: true,
    format: "esm",
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.length).toBeGreaterThan(1);
  expect(inputs.filter((input) => !input.startsWith("packages/protocol/src/"))).toEqual([]);
});
