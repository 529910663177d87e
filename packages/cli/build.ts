// Bundles the tool and its page into dist/, so that no runtime dependency is left to install.
import { glob, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { build as bundle, type OnResolveArgs, type Plugin } from "esbuild";
import { BILL_FILE, billOfMaterials } from "../../scripts/bill-of-materials.ts";
import { replaceFiles } from "../../scripts/replace-files.ts";
import { thirdPartyLicences } from "../../scripts/third-party-licences.ts";
import { buildPage } from "./build-page.ts";

const here = import.meta.dirname;
const platform = join(here, "../platform");
const dist = join(here, "dist");
const modules = join(here, "../../node_modules");

/** CommonJS packages inside the bundle call `require` for Node's own modules. */
const REQUIRE = `import { createRequire as createAgateRequire } from "node:module";
const require = createAgateRequire(import.meta.url);`;

/** What `/docs` is made of. */
const SWAGGER_UI = [
  "swagger-ui.css",
  "swagger-ui-bundle.js",
  "swagger-ui-bundle.js.LICENSE.txt",
] as const;

/** What `agate init` writes. */
const PROJECT_TEMPLATE = join(here, "src/project-template/files");

/** Packages that are shipped without being imported: copied files, and the data of the price table. */
const SHIPPED = ["swagger-ui-dist", "@pydantic/genai-prices"] as const;

/** A program of its own for each system: it is installed, not copied. */
const EXTERNAL = ["esbuild"] as const;

/**
 * zod's object `z` holds its messages in 60 languages, which no bundler can tell to be unused: a tenth
 * of the tool's code. The tool speaks English.
 */
const ENGLISH_ONLY: Plugin = {
  name: "english-only",
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/** Marks the files of zod's whole API, which is bundled beside zod/mini. */
const WHOLE = "?whole";

/**
 * zod and zod/mini share a core, of which mini uses a fraction. Bundled as one, that core would be
 * loaded whole by every server; as two copies, a server starts with the fraction, and the other is
 * loaded with the OpenAPI document.
 */
const ZOD_APART: Plugin = {
  name: "zod-apart",
  setup(build) {
    const resolve = async ({ path, importer, kind, resolveDir }: OnResolveArgs) => {
      const found = await build.resolve(path, { importer, kind, resolveDir, pluginData: "found" });
      return { path: found.path, suffix: WHOLE, sideEffects: false };
    };
    build.onResolve({ filter: /^zod$/ }, (args) =>
      args.pluginData === "found" ? undefined : resolve(args),
    );
    build.onResolve({ filter: /^\./ }, (args) =>
      args.pluginData === WHOLE ? resolve(args) : undefined,
    );
    build.onLoad({ filter: /[\\/]zod[\\/].*\.js$/ }, async ({ path, suffix }) =>
      suffix === WHOLE ? { contents: await readFile(path), pluginData: WHOLE } : undefined,
    );
  },
};

/** Name of a file in dist → its content. */
type Files = Map<string, string | Uint8Array>;

/** Builds `dist/` from what lies in `src/`. */
export async function build(): Promise<void> {
  const [bundled, page] = await Promise.all([bundleSources(), buildPage()]);
  const files: Files = new Map([...bundled.files, ...page.files]);
  for (const name of SWAGGER_UI) {
    files.set(`docs/${name}`, await readFile(join(modules, "swagger-ui-dist", name)));
  }
  for (const name of await readdir(PROJECT_TEMPLATE)) {
    files.set(`project-template/${name}`, await readFile(join(PROJECT_TEMPLATE, name)));
  }
  const shipped = SHIPPED.map((name) => join(modules, name, "package.json"));
  const inputs = [...bundled.inputs, ...page.inputs, ...shipped];
  files.set("THIRD-PARTY-LICENSES.txt", await thirdPartyLicences(here, inputs));
  files.set(BILL_FILE, await billOfMaterials({ folder: here, inputs, external: EXTERNAL }));
  replaceFiles(dist, files, { executable: ["agate.js"] });
}

/**
 * Threads and preloads are entries by convention: a thread is started, and a process prepared, by the
 * name of a file. Those of SQLite share nothing with the rest: they are small, every server starts
 * them, and each file that two entries share makes several of those that one entry would have. Node
 * takes time and memory for each.
 */
async function bundleSources(): Promise<{ files: Files; inputs: readonly string[] }> {
  const threads = await find("*-worker.ts");
  const alone = threads.filter((source) =>
    ["stores/sqlite", "backup"].includes(relative(join(platform, "src"), dirname(source))),
  );
  const shared = threads.filter((source) => !alone.includes(source));
  // An entry too: tests run commands of the built tool in their own process.
  const commandLine = ["agate.ts", "main.ts"].map((name) => join(here, "src/commands", name));
  const preloads = await find("*-preload.ts");
  const bundles = await Promise.all([
    bundleTogether([...commandLine, ...preloads, ...shared]),
    ...alone.map((source) => bundleTogether([source])),
  ]);
  const files: Files = new Map();
  for (const [name, content] of bundles.flatMap((bundled) => bundled.files)) {
    if (files.has(name)) throw new Error(`Two sources would both be ${name}`);
    files.set(name, content);
  }
  return { files, inputs: bundles.flatMap(({ inputs }) => inputs) };
}

/** Bundles sources that share chunks, with each other and with what is loaded late. */
async function bundleTogether(sources: readonly string[]) {
  const { metafile, outputFiles } = await bundle({
    absWorkingDir: here,
    entryPoints: sources.map((source) => ({ in: source, out: basename(source, ".ts") })),
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: "chunk-[hash]",
    format: "esm",
    platform: "node",
    target: "node24",
    external: [...EXTERNAL],
    plugins: [ENGLISH_ONLY, ZOD_APART],
    banner: { js: REQUIRE },
    legalComments: "none",
    metafile: true,
    write: false,
  });
  const files = outputFiles.map(
    ({ path, text }) => [basename(path), withoutIdleRequire(text)] as const,
  );
  const inputs = Object.keys(metafile.inputs).map((input) => input.replace(WHOLE, ""));
  return { files, inputs };
}

/** Few files call `require`: the others need not make one. */
function withoutIdleRequire(code: string): string {
  const rest = code.replace(`${REQUIRE}\n`, "");
  return /\brequire\b/.test(rest) ? code : rest;
}

/** Sources of the tool and of the platform, as absolute paths. */
async function find(name: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of [here, platform]) {
    for await (const source of glob(`src/**/${name}`, { cwd: folder })) {
      found.push(join(folder, source));
    }
  }
  return found;
}

if (import.meta.main) await build();
