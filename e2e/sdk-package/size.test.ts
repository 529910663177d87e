import { join, relative } from "node:path";
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
  "index.js": { published: 93_000, minified: 59_500 },
  // 1,300 of them, minified, are eventsource-parser, which the page and the command line use as well.
  "client.js": { published: 12_800, minified: 7_200 },
  "assets.js": { published: 1_000, minified: 900 },
} as const;

it.each(Object.entries(CEILINGS))("%s stays below %o bytes", async (entry, ceiling) => {
  const { files } = await distGraph(entry);
  const published = gzipSync(Buffer.concat(await Promise.all(files.map(distFile)))).length;
  const minified = gzipSync(await minifiedBundle(entry)).length;
  expect(published).toBeLessThan(ceiling.published);
  expect(minified).toBeLessThan(ceiling.minified);
});

const LOADED_LATE = [
  "*/body-fault.js",
  "*/config-file-reader.js",
  "*/create-exporter.js",
  "*/hide-values.js",
  "*/openapi-document.js",
  "*/output-stream.js",
  "*/record-writer.js",
  "*/registry-config-source.js",
];

/** What is loaded late, and OpenTelemetry's API, is not in it. */
async function minifiedBundle(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(SDK, "dist", entry)],
    bundle: true,
    minify: true,
    format: "esm",
    packages: "external",
    external: ["#*", ...LOADED_LATE],
    write: false,
  });
  return outputFiles[0]!.contents;
}

const WORKER = `
  import * as ag from "@agate/sdk";
  class GreetConfig extends ag.BaseModel {
    greeting = ag.Field(ag.str, { default: "Hello" });
  }
  ag.route("/greet", GreetConfig)(({ name }, { config }) => config.greeting + name);
  export default ag.app();
`;

// As it was written: 46,434 at start, 100,001 in all. docs/decisions/0009-sdk-package.md has the parts.
it("a worker loads at most 47,000 bytes at its start, and is at most 103,000 bytes in one file", async () => {
  expect(gzipSync(await workerBundle(false)).length).toBeLessThan(103_000);
  expect(gzipSync(await workerBundle(true)).length).toBeLessThan(47_000);
});

/** A worker with all that it needs: as one file, or the files that are loaded with it. */
async function workerBundle(isSplit: boolean): Promise<Uint8Array> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    splitting: isSplit,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    tsconfigRaw: {},
    absWorkingDir: import.meta.dirname,
    outdir: "unwritten",
    metafile: true,
    write: false,
  });
  const names = Object.keys(metafile.outputs);
  const loaded = new Set(names.filter((name) => metafile.outputs[name]!.entryPoint === "<stdin>"));
  for (const name of loaded) {
    const imports = metafile.outputs[name]!.imports.filter(
      ({ kind }) => kind === "import-statement",
    );
    for (const { path } of imports) if (names.includes(path)) loaded.add(path);
  }
  const files = outputFiles.filter(({ path }) => loaded.has(relative(import.meta.dirname, path)));
  expect(files).toHaveLength(loaded.size);
  return Buffer.concat(files.map(({ contents }) => contents));
}
