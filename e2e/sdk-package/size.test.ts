import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { distFile, distGraph, SDK } from "./dist-graph.ts";

/**
 * What loading an entry costs at most, as gzip: of the files as they are published, and of a bundle
 * that a user's tool makes of them. About a tenth above what they were when this was written; raise
 * a ceiling only for something that is worth its bytes.
 */
const CEILINGS = {
  "index.js": { published: 101_500, minified: 66_500 },
  "client.js": { published: 8_800, minified: 4_900 },
  "assets.js": { published: 1_000, minified: 900 },
} as const;

it.each(Object.entries(CEILINGS))("%s stays below %o bytes", async (entry, ceiling) => {
  const { files } = await distGraph(entry);
  const published = gzipSync(Buffer.concat(await Promise.all(files.map(distFile)))).length;
  const minified = gzipSync(await minifiedBundle(entry)).length;
  expect(published).toBeLessThan(ceiling.published);
  expect(minified).toBeLessThan(ceiling.minified);
});

/** What is loaded late, and OpenTelemetry's API, is not in it. */
async function minifiedBundle(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(SDK, "dist", entry)],
    bundle: true,
    minify: true,
    format: "esm",
    packages: "external",
    external: ["#*", "*/openapi-document.js", "*/record-writer.js"],
    write: false,
  });
  return outputFiles[0]!.contents;
}
