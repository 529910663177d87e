import { readFile } from "node:fs/promises";
import { extname, relative } from "node:path";
import type { Loader, Plugin } from "esbuild";
import { type Project, slashed } from "./project.ts";

const LOADERS: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};

/** What names a source's place becomes; each source that has one of them has a `__agateFile`. */
export const FILE_META_DEFINES = {
  __filename: "__agateFile.filename",
  __dirname: "__agateFile.dirname",
  "import.meta.url": "__agateFile.url",
  "import.meta.filename": "__agateFile.filename",
  "import.meta.dirname": "__agateFile.dirname",
  "import.meta.main": "__agateFile.main",
} as const;

/**
 * The beginning of a bundle. Every source keeps its own place, below `folder`: files that lie beside
 * a source are found there, and `process.argv[1] === import.meta.filename` is as true as it was
 * before. CommonJS sources call `require`.
 *
 * @param folder An expression: where the project's files lie when the bundle runs.
 */
export function bundleHead(project: Project, folder: string): string {
  return `import * as __agateModule from "node:module";
import * as __agatePath from "node:path";
import * as __agateUrl from "node:url";
const require = __agateModule.createRequire(import.meta.url);
const __agateMeta = (name) => {
  const filename = __agatePath.join(${folder}, name);
  return {
    filename,
    dirname: __agatePath.dirname(filename),
    url: __agateUrl.pathToFileURL(filename).href,
    main: name === ${JSON.stringify(project.entryName)},
  };
};
process.argv[1] = __agateMeta(${JSON.stringify(project.entryName)}).filename;`;
}

/** Gives each source that asks for its place the place that it has in the project. */
export function fileMeta({ folder }: Project): Plugin {
  return {
    name: "agate-file-meta",
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        // Where it cannot be read, esbuild tries for itself, and says who imports it and why not.
        const text = await readFile(path, "utf8").catch(() => "");
        if (!/\bimport\.meta\b|\b__(?:file|dir)name\b/.test(text)) return undefined;
        // A file outside of the project has no place in the build; its name is all that is kept.
        const name = slashed(relative(folder, path)).replace(/^(?:\.\.\/)+/, "");
        const meta = `const __agateFile = /* @__PURE__ */ __agateMeta(${JSON.stringify(name)}); `;
        const [hashbang = ""] = /^#!.*\n/.exec(text) ?? [];
        return {
          // On the line that is there, so that every line keeps its number.
          contents: hashbang + meta + text.slice(hashbang.length),
          loader: LOADERS[extname(path)] ?? "js",
        };
      });
    },
  };
}
