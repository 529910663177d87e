// Bundles the SDK into dist/: what it uses is inlined, so that the only packages it brings along are
// the ones it shares with its users. Nothing is minified: people read it in stack traces.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { build as bundle } from "esbuild";
import { BILL_FILE, billOfMaterials } from "../../scripts/bill-of-materials.ts";
import { type Files, replaceFiles } from "../../scripts/replace-files.ts";
import { thirdPartyLicences } from "../../scripts/third-party-licences.ts";
import { publicDeclarations } from "./public-declarations.ts";

const here = import.meta.dirname;
const packages = dirname(here);
const dist = join(here, "dist");

/**
 * Names in dist, and their sources. What is loaded late has a name too: a process that runs from
 * here still finds it after the next build.
 */
const ENTRIES = {
  index: "src/index.ts",
  assets: "src/assets/index.ts",
  client: "src/client/index.ts",
  evals: "src/evals/index.ts",
  runner: "src/runner/index.ts",
  vite: "src/vite/index.ts",
  "server/openapi-document": "src/server/openapi-document.ts",
  "server/body-fault": "src/server/body-fault.ts",
  "server/hide-values": "src/server/hide-values.ts",
  "server/output-stream": "src/server/output-stream.ts",
  "config-source/config-file-reader": "src/config-source/config-file-reader.ts",
  "config-source/registry-config-source": "src/config-source/registry-config-source.ts",
  "tracing/record-writer": "src/tracing/record-writer.ts",
  "tracing/create-exporter": "src/tracing/create-exporter.ts",
  "node/serve": "src/node/serve.ts",
  "elsewhere/serve": "src/elsewhere/serve.ts",
} as const;

/** The sources that `exports` names the types of. */
const TYPED = [
  "index.ts",
  "assets/index.ts",
  "client/index.ts",
  "evals/index.ts",
  "runner/index.ts",
  "vite/index.ts",
] as const;

/** Never inlined: the user's own copies are meant. */
const SHARED = ["@opentelemetry/api", "@standard-schema/spec"] as const;

/** Shipped without being imported: the data of the price table. */
const SHIPPED = join(packages, "../node_modules/@pydantic/genai-prices/package.json");

/** Builds `dist/` from what lies in `src/`. Types are emitted, not checked: `npm run check` does that. */
export async function build(): Promise<void> {
  const [code, types] = await Promise.all([bundleSources(), declarations()]);
  replaceFiles(dist, new Map([...code, ...types]));
}

async function bundleSources(): Promise<Files> {
  const { metafile, outputFiles } = await bundle({
    absWorkingDir: here,
    entryPoints: { ...ENTRIES },
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: "chunk-[hash]",
    format: "esm",
    // Not "node" and not "browser": of packages that have several ways, the one that runs anywhere.
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    // Which `#serve` is loaded is for the runtime to choose: `imports` in package.json.
    external: [...SHARED, "node:*", "#serve", "esbuild"],
    legalComments: "none",
    metafile: true,
    write: false,
  });
  const inlined = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((input) => inputs[input]!.bytesInOutput > 0),
  );
  return new Map<string, string | Uint8Array>([
    ...outputFiles.map(
      ({ path, text }) => [slashed(relative(dist, path)), withoutBareImports(text)] as const,
    ),
    ["THIRD-PARTY-LICENSES.txt", await thirdPartyLicences(here, [...inlined, SHIPPED])],
    [
      BILL_FILE,
      await billOfMaterials({ folder: here, inputs: [...inlined, SHIPPED], external: SHARED }),
    ],
  ]);
}

/**
 * esbuild keeps the order in which chunks are run by imports of nothing. No chunk does anything by
 * being run, as `sideEffects` says, and every user's esbuild would warn about them.
 */
function withoutBareImports(text: string): string {
  return text.replaceAll(/^import "\.{1,2}\/[^"]+";\n/gm, "");
}

/** The types, file by file as the sources are, with the private packages' beside them. */
async function declarations(): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), "agate-declarations-"));
  try {
    await emitDeclarations(folder);
    const entries = TYPED.map((name) => `sdk/src/${name.replace(/ts$/, "d.ts")}`);
    const files = await publicDeclarations(folder, entries, SHARED);
    return new Map([...files].map(([name, text]) => [`types/${name}`, text]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function emitDeclarations(folder: string): Promise<void> {
  const project = join(folder, "tsconfig.json");
  await writeFile(
    project,
    JSON.stringify({
      extends: join(here, "tsconfig.web.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        noCheck: true,
        rootDir: packages,
        outDir: folder,
        // Found by its name, a private package would be taken for an installed one, with types.
        paths: {
          "@agate/protocol": [join(packages, "protocol/src/index.ts")],
          "@agate/spans": [join(packages, "spans/src/index.ts")],
          "#serve": [join(here, "src/app/serve-module.ts")],
        },
      },
      files: TYPED.map((name) => join(here, "src", name)),
      include: [],
    }),
  );
  const compiler = join(packages, "../node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [compiler, "-p", project], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("The SDK's types cannot be declared: nothing was built.");
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}

if (import.meta.main) await build();
