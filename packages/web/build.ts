// Bundles the page. packages/cli/build.ts puts it into the tool.
import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { basename, join, resolve } from "node:path";
import { type BuildOptions, build as bundle, type Rolldown } from "vite";
import { columnStyles, FIRST_COLUMNS_ID } from "./src/first-rows/column-styles.ts";
import { parseColumnChoice } from "./src/traces/rows/trace-columns.ts";

const here = import.meta.dirname;

/** The page as it is served. */
export interface BuiltPage {
  /** Path below the page's root (`index.html`, `assets/…`) → content. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Every source that is in it, for the licences. */
  readonly inputs: readonly string[];
  /** The scripts that every page needs besides the one in `index.html`, by their names in `assets/`. */
  readonly entryParts: readonly string[];
  /** Path of a page → the scripts that it needs besides those, by their names in `assets/`. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** The scripts within `index.html`. */
  readonly inlineScripts: readonly string[];
  /** The module that writes the first rows, for the server: it exports `writeFirstRows`. */
  readonly firstRows: string;
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

/** A link to a script that the entry imports. */
const MODULE_LINK = /\s*<link rel="modulepreload"[^>]* href="\/assets\/([^"]+)">/g;

/** Builds the page, in memory. */
export async function build(): Promise<BuiltPage> {
  const { output } = await bundled();
  const parts = await inlineParts();
  const files = new Map(
    output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source] as const),
  );
  const html = String(files.get("index.html"));
  files.set("index.html", withInlineParts(html, parts));
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
  return {
    files,
    inputs,
    parts: partsOf(output),
    entryParts: [...html.matchAll(MODULE_LINK)].map(([, name = ""]) => name),
    inlineScripts: [parts.script, parts.afterRows],
    firstRows: (await bundledAlone("first-rows/write-first-rows.ts", "es")).script,
  };
}

/**
 * The document with what its first rows need, so that they wait for no other request: their style sheet, the script
 * that applies what the browser keeps, and the one that completes them. The page's own style sheet comes after the rows,
 * so that nothing waits for it but the page's script.
 */
function withInlineParts(html: string, { script, style, afterRows }: InlineParts): string {
  const [link] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? [];
  const [entry] = /<script type="module"[^>]*><\/script>/.exec(html) ?? [];
  if (link === undefined || entry === undefined) throw new Error("index.html lacks a part.");
  const columns = columnStyles(parseColumnChoice(null));
  if (/<(?:\/(?:style|script)|!--)/i.test(style + columns + script + afterRows))
    throw new Error("A text would end its element.");
  const head = [
    `<style nonce="__CSP_NONCE__">${style}</style>`,
    `<style nonce="__CSP_NONCE__" id="${FIRST_COLUMNS_ID}">${columns}</style>`,
    `<script>${script}</script>`,
  ];
  return html
    .replaceAll(MODULE_LINK, "")
    .replace(entry, "")
    .replace(link, () => head.join("\n    "))
    .replace("<!-- first answers -->", (place) => `<script>${afterRows}</script>\n    ${place}`)
    .replace("</body>", () => `${link}\n    ${entry}\n  </body>`);
}

interface InlineParts {
  readonly style: string;
  readonly script: string;
  readonly afterRows: string;
}

async function inlineParts(): Promise<InlineParts> {
  const before = await bundledAlone("first-rows/first-rows.ts", "iife");
  const { script: afterRows } = await bundledAlone("first-rows/after-rows.ts", "iife");
  if (before.style === "") throw new Error("The first rows lack their style sheet.");
  return { ...before, afterRows };
}

/** A script of its own, which imports nothing, and its style sheet. */
async function bundledAlone(source: string, format: "iife" | "es") {
  const [built] = (await bundled({
    lib: { entry: join(here, "src", source), formats: [format], name: "firstRows" },
  })) as unknown as readonly Rolldown.RolldownOutput[];
  let script = "";
  let style = "";
  for (const file of built?.output ?? []) {
    if (file.type === "chunk") script = file.code.trim();
    else if (file.fileName.endsWith(".css")) style = String(file.source).trim();
  }
  if (script === "") throw new Error(`${source} is empty.`);
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
