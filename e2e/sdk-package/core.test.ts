import { expect, it } from "vitest";
import { distFile, distGraph } from "./dist-graph.ts";

async function textOf(files: readonly string[]): Promise<string> {
  const contents = await Promise.all(files.map(distFile));
  return Buffer.concat(contents).toString();
}

it.each(["index.js", "client.js"])(
  "%s needs OpenTelemetry's API and no other package",
  async (entry) => {
    const { packages, required } = await distGraph(entry);
    // All other imports, Node's own modules included, would be listed here.
    expect(packages).toEqual(["@opentelemetry/api"]);
    expect(required).toEqual([]);
  },
);

it("the assets need nothing", async () => {
  const { files, packages, required } = await distGraph("assets.js");
  expect({ files, packages, required }).toEqual({
    files: ["assets.js"],
    packages: [],
    required: [],
  });
});

it("loads late what few programs need", async () => {
  const index = await distGraph("index.js");
  const client = await distGraph("client.js");
  expect(index.late.toSorted()).toEqual([
    "#serve",
    "config-source/config-file-reader.js",
    "config-source/registry-config-source.js",
    "server/body-fault.js",
    "server/hide-values.js",
    "server/openapi-document.js",
    "server/output-stream.js",
    "tracing/create-exporter.js",
    "tracing/record-writer.js",
  ]);
  expect(client.late).toEqual([]);
  expect(index.files).not.toContain("node/serve.js");
});

it("names no module of Node's but those it asks the runtime for", async () => {
  const { files } = await distGraph("index.js");
  const text = await textOf(files);
  expect([...new Set(text.match(/\bnode:\w+/g))].sort()).toEqual(["node:async_hooks"]);
  expect(text.match(/\brequire\s*\(|\bcreateRequire\b|\b__dirname\b|\bimport\.meta\b/g)).toBeNull();
});

it("holds OpenTelemetry's packages and the parser of server-sent events, and no prices", async () => {
  const { files } = await distGraph("index.js");
  const sources = await sourcesIn(files);
  const packages = new Set(sources.flatMap((source) => packageOf(source) ?? []));
  expect(packages).toContain("@opentelemetry/core");
  expect([...packages].filter((name) => !name.startsWith("@opentelemetry/"))).toEqual([
    "eventsource-parser",
  ]);
  expect(sources.filter((source) => source.includes("prices"))).toEqual([]);
  // It would be seen: this is where the prices are.
  expect(await sourcesIn(["tracing/record-writer.js"])).toContain(
    "../spans/src/pricing/prices.gen.json",
  );
});

it("has OpenTelemetry's parts in the way that runs anywhere", async () => {
  const { files } = await distGraph("index.js");
  const sources = await sourcesIn(files);
  const platforms = sources.filter((source) => /@opentelemetry.*\/platform\//.test(source));
  expect(platforms.length).toBeGreaterThan(0);
  expect(platforms.filter((source) => !source.includes("/platform/browser/"))).toEqual([]);
});

/** The sources of a bundle: esbuild writes the path of each above what came from it. */
async function sourcesIn(files: readonly string[]): Promise<readonly string[]> {
  return [...(await textOf(files)).matchAll(/^\/\/ (\S+\.(?:ts|m?js|json))$/gm)].map(
    ([, path]) => path!,
  );
}

function packageOf(source: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
}
