// Bundles the page. packages/cli/build.ts puts it into the tool.
import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { join, resolve } from "node:path";
import { build as bundle, type Rolldown } from "vite";

const here = import.meta.dirname;

/** The page as it is served. */
export interface BuiltPage {
  /** Path below the page's root (`index.html`, `assets/…`) → content. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Every source that is in it, for the licences. */
  readonly inputs: readonly string[];
}

/** Builds the page, in memory. */
export async function build(): Promise<BuiltPage> {
  const { output } = await bundled();
  const files = new Map(
    output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source] as const),
  );
  const sources = output.flatMap((file) =>
    file.type === "chunk"
      ? file.moduleIds
      : file.originalFileNames.map((name) => resolve(here, name)),
  );
  const styles = sources.filter((source) => source.endsWith(".css"));
  const inputs = [
    ...sources.map(packageOfHelper),
    ...(await Promise.all(styles.map(packagesImportedBy))).flat(),
  ];
  return { files, inputs };
}

/** Vite believes NODE_ENV, which test runners set: React would be the one for developing. */
async function bundled(): Promise<Rolldown.RolldownOutput> {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return (await bundle({
      configFile: join(here, "vite.config.ts"),
      logLevel: "warn",
      build: { write: false },
    })) as Rolldown.RolldownOutput;
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

/** A helper that the bundler adds is called `\0vite/preload-helper.js`: it is of the package vite. */
function packageOfHelper(source: string): string {
  const name = /^\0([^/]+)\//.exec(source)?.[1];
  return name === undefined ? source : manifestOf(name, import.meta.url);
}

/** What a style sheet takes from packages. The bundler does not tell. */
async function packagesImportedBy(style: string): Promise<readonly string[]> {
  const text = await readFile(style, "utf8");
  const names = [...text.matchAll(/@import "([^."][^"]*)"/g)].map(([, name = ""]) => name);
  return names.map((name) => manifestOf(name, style));
}

function manifestOf(specifier: string, from: string): string {
  const manifest = findPackageJSON(specifier, from);
  if (manifest === undefined) throw new Error(`${specifier}, used by ${from}, is in no package.`);
  return manifest;
}
