// Bundles the page. packages/cli/build.ts puts it into the tool.
import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { basename, join, resolve } from "node:path";
import { type BuildOptions, build as bundle, type Rolldown } from "vite";

const here = import.meta.dirname;

/** The page as it is served. */
export interface BuiltPage {
  /** Path below the page's root (`index.html`, `assets/…`) → content. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Every source that is in it, for the licences. */
  readonly inputs: readonly string[];
  /** Path of a page → the scripts that it needs besides those in `index.html`, by their names in `assets/`. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** The scripts within `index.html`. */
  readonly inlineScripts: readonly string[];
}

/** Pages that have one address, and the modules that app/create-page-router.tsx loads for them. */
const PAGES = {
  "/": "dashboard/dashboard-page.tsx",
  "/traces": "traces/traces-page.tsx",
  "/playground": "playground/playground-start-page.tsx",
  "/apps": "registry/apps-page.tsx",
  "/testsets": "testsets/test-sets-page.tsx",
  "/runs": "runs/runs-page.tsx",
  "/settings/keys": "registry/keys-page.tsx",
  "/settings/redaction": "registry/redaction-page.tsx",
} as const;

/** Builds the page, in memory. */
export async function build(): Promise<BuiltPage> {
  const [{ output }, firstRows] = [await bundled(), await firstRowsParts()];
  const files = new Map(
    output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source] as const),
  );
  files.set("index.html", withInlineParts(String(files.get("index.html")), firstRows));
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
  return { files, inputs, parts: partsOf(output), inlineScripts: [firstRows.script] };
}

/**
 * The document with the script that draws the first rows, and with their style sheet: what it shows first must
 * not wait for another request. The page's own style sheet comes after them, so that nothing waits for it but
 * the page's script.
 */
function withInlineParts(html: string, { script, style }: InlineParts): string {
  const [link] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? [];
  if (link === undefined) throw new Error("index.html has no style sheet.");
  if (/<(?:\/(?:style|script)|!--)/i.test(style + script))
    throw new Error("A text would end its element.");
  return html
    .replace(link, () => `<style nonce="__CSP_NONCE__">${style}</style>`)
    .replace("</body>", () => `<script>${script}</script>\n    ${link}\n  </body>`);
}

/** What draws the first rows. */
interface InlineParts {
  readonly script: string;
  readonly style: string;
}

/** A script of its own, which imports nothing, and its style sheet. */
async function firstRowsParts(): Promise<InlineParts> {
  const [built] = (await bundled({
    lib: {
      entry: join(here, "src/first-rows/first-rows.ts"),
      formats: ["iife"],
      name: "firstRows",
    },
  })) as unknown as readonly Rolldown.RolldownOutput[];
  let script = "";
  let style = "";
  for (const file of built?.output ?? []) {
    if (file.type === "chunk") script = file.code.trim();
    else if (file.fileName.endsWith(".css")) style = String(file.source).trim();
  }
  if (script === "" || style === "") throw new Error("The first rows lack a part.");
  return { script, style };
}

function partsOf(output: Rolldown.RolldownOutput["output"]): BuiltPage["parts"] {
  const chunks = new Map(
    output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file] as const] : [])),
  );
  const withImports = (name: string, found = new Set<string>()): ReadonlySet<string> => {
    if (!found.has(name)) {
      found.add(name);
      for (const imported of chunks.get(name)?.imports ?? []) withImports(imported, found);
    }
    return found;
  };
  const entry = [...chunks.values()].find(({ isEntry }) => isEntry);
  const always = withImports(entry?.fileName ?? "");
  const chunkOf = (module: string) => {
    const path = join(here, "src", module);
    const chunk = [...chunks.values()].find(({ facadeModuleId }) => facadeModuleId === path);
    if (chunk === undefined) throw new Error(`${module} is no script of its own.`);
    return chunk.fileName;
  };
  return Object.fromEntries(
    Object.entries(PAGES).map(([path, module]) => [
      path,
      [...withImports(chunkOf(module))]
        .filter((name) => !always.has(name))
        .map((name) => basename(name)),
    ]),
  );
}

/** Vite believes NODE_ENV, which test runners set: React would be the one for developing. */
async function bundled(options: BuildOptions = {}): Promise<Rolldown.RolldownOutput> {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return (await bundle({
      configFile: join(here, "vite.config.ts"),
      logLevel: "warn",
      build: { write: false, ...options },
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
