// Bundles the tool and its page into dist/, so that no runtime dependency is left to install.
import { glob, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build as bundle } from "esbuild";
import { replaceFiles } from "../../scripts/replace-files.ts";
import { thirdPartyLicences } from "../../scripts/third-party-licences.ts";
import { buildPage } from "./build-page.ts";

const here = import.meta.dirname;
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
  replaceFiles(dist, files, { executable: ["agate.js"] });
}

async function bundleSources(): Promise<{ files: Files; inputs: readonly string[] }> {
  const { metafile, outputFiles } = await bundle({
    absWorkingDir: here,
    entryPoints: await entryPoints(),
    outdir: dist,
    bundle: true,
    // The command, its threads and what is loaded late share chunks instead of each having a copy.
    splitting: true,
    chunkNames: "chunk-[hash]",
    format: "esm",
    platform: "node",
    target: "node24",
    // A program of its own for each system: it is installed, not copied.
    external: ["esbuild"],
    banner: { js: REQUIRE },
    legalComments: "none",
    metafile: true,
    write: false,
  });
  const files = new Map(
    outputFiles.map(({ path, contents }) => [basename(path), contents] as const),
  );
  return { files, inputs: Object.keys(metafile.inputs) };
}

/**
 * The command, and by convention every `*-worker.ts` and `*-preload.ts`: a thread is started, and a
 * process prepared, by the name of a file.
 */
async function entryPoints(): Promise<Record<string, string>> {
  const entries: Record<string, string> = {};
  const sources = ["src/commands/agate.ts", "src/**/*-worker.ts", "src/**/*-preload.ts"];
  for await (const file of glob(sources, { cwd: here })) {
    const name = basename(file, ".ts");
    if (name in entries) throw new Error(`${file} and ${entries[name]} would both be ${name}.js`);
    entries[name] = file;
  }
  return entries;
}

if (import.meta.main) await build();
