import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  BuildFailure,
  BuildOptions,
  BuildResult,
  Loader,
  Message,
  Metafile,
  Plugin,
} from "esbuild";
import { type CodeProblem, codeProblem } from "./code-problem.ts";
import { type BundleRequest, externalPackages } from "./external-packages.ts";
import { type Project, slashed } from "./project.ts";

/** The names of what a bundle consists of. */
export const BUNDLE_FILE = "app.js";
export const BUNDLE_MAP_FILE = "app.js.map";
/** The names of the bundle of eval files, in a build. */
export const EVALS_FILE = "evals.js";
export const EVALS_MAP_FILE = "evals.js.map";

/** A program in one file. */
export interface Bundle {
  readonly kind: "bundle";
  /** By their names in the folder that it will lie in. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly metafile: Metafile;
  readonly warnings: readonly CodeProblem[];
}

/** The user's code cannot be bundled. */
export interface BrokenCode {
  readonly kind: "broken";
  readonly problems: readonly [CodeProblem, ...CodeProblem[]];
}

/** Bundles a program once. */
export async function bundleApp(
  project: Project,
  request: BundleRequest,
): Promise<Bundle | BrokenCode> {
  // Loaded by those commands only that need it: it is a program of its own.
  const { build } = await import("esbuild");
  return bundleOutcome(project, () => build(bundleOptions(project, request)));
}

/**
 * Bundles eval files, with what they import, into a program that serves their evaluations. Only this
 * bundle has them: the application does not import its eval files.
 */
export async function bundleEvals(
  project: Project,
  files: readonly string[],
): Promise<Bundle | BrokenCode> {
  const { build } = await import("esbuild");
  const imports = files.map((file) => `import ${JSON.stringify(file)};\n`).join("");
  const source = `import ${JSON.stringify(PARENT)};
${imports}import { serveEvaluator } from "@agate/sdk/runner";
await serveEvaluator();
`;
  const request = { runs: "here", takesDevelopmentPackages: true } as const;
  return bundleOutcome(project, () => build(bundleOptions(project, request, source)));
}

/**
 * Bundles the eval files of a build. The program is in it as well: a run calls routes of it that no
 * evaluation of this build may have.
 */
export async function bundleEvalsElsewhere(
  project: Project,
  files: readonly string[],
  { sharesApi }: { readonly sharesApi: boolean },
): Promise<Bundle | BrokenCode> {
  const { build } = await import("esbuild");
  const imports = files.map((file) => `import ${JSON.stringify(file)};\n`).join("");
  const source = `import ${JSON.stringify(PARENT)};
import * as app from ${JSON.stringify(`./${basename(project.entry)}`)};
${imports}import { serveEvaluator } from "@agate/sdk/runner";
await serveEvaluator(app, { file: ${JSON.stringify(project.entryName)} });
`;
  const request = { runs: "elsewhere", sharesApi, takesDevelopmentPackages: true } as const;
  return bundleOutcome(project, () =>
    build({
      ...bundleOptions(project, request, source),
      outfile: join(project.folder, EVALS_FILE),
    }),
  );
}

export type BundleOptions = BuildOptions & { readonly metafile: true; readonly write: false };

/** How esbuild makes a bundle: the same for a deploy as while developing. */
export function bundleOptions(
  project: Project,
  request: BundleRequest,
  entry = programEntry(project),
): BundleOptions {
  const isHere = request.runs === "here";
  return {
    absWorkingDir: project.folder,
    entryPoints: [ENTRY_POINT],
    outfile: join(project.folder, BUNDLE_FILE),
    bundle: true,
    format: "esm",
    platform: "node",
    // Standard decorators and `using` are made into what Node has.
    target: "node22",
    // Classes and functions are called in the playground what they are called in the source.
    keepNames: true,
    charset: "utf8",
    loader: { ".txt": "text", ".md": "text" },
    banner: {
      js: bundleHead(project, isHere ? JSON.stringify(project.folder) : "import.meta.dirname"),
    },
    define: FILE_META_DEFINES,
    plugins: [bundleEntry(project, entry), externalPackages(project, request), fileMeta(project)],
    sourcemap: "linked",
    ...(isHere && { sourceRoot: `${pathToFileURL(project.folder)}/` }),
    // Lines and names are enough for stack traces; the sources stay where they are.
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: "silent",
  };
}

/** Runs esbuild, and makes a value of what it says. */
export async function bundleOutcome(
  project: Project,
  run: () => Promise<BuildResult<BundleOptions>>,
): Promise<Bundle | BrokenCode> {
  try {
    const { outputFiles, metafile, warnings } = await run();
    const files = outputFiles.map(({ path, contents }) => [basename(path), contents] as const);
    return {
      kind: "bundle",
      files: new Map(files),
      metafile,
      warnings: ofOwnCode(project, warnings).map(codeProblem),
    };
  } catch (error) {
    const [first, ...more] = isBuildFailure(error) ? error.errors.map(codeProblem) : [];
    if (first === undefined) throw error;
    return { kind: "broken", problems: [first, ...more] };
  }
}

/** Warnings about installed packages are dropped: the user can't fix them. */
function ofOwnCode({ folder, sdk }: Project, warnings: readonly Message[]): readonly Message[] {
  return warnings.filter(({ location }) => {
    const file = location === null ? "" : join(folder, location.file);
    return !file.startsWith(sdk.folder) && !/[\\/]node_modules[\\/]/.test(file);
  });
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && Array.isArray((error as Partial<BuildFailure>).errors);
}

const ENTRY = "agate-entry";
const PARENT = "agate-parent";

/** What esbuild is told to begin with: a name that `bundleEntry` knows. */
const ENTRY_POINT = ENTRY;

/**
 * The entry module of a program. Its first import runs before the user's code, which may block; `run`
 * serves the declared routes, unless that code calls `serve` itself.
 */
function programEntry({ entry, entryName }: Project): string {
  return `import ${JSON.stringify(PARENT)};
import * as app from ${JSON.stringify(`./${basename(entry)}`)};
import { run } from "@agate/sdk/runner";
await run(app, { file: ${JSON.stringify(entryName)} });
`;
}

function bundleEntry({ entry }: Project, source: string): Plugin {
  const sources = new Map([
    [ENTRY, source],
    [PARENT, 'import { endWithParent } from "@agate/sdk/runner";\nendWithParent();\n'],
  ]);
  return {
    name: "agate-entry",
    setup(build) {
      build.onResolve({ filter: /^agate-(?:entry|parent)$/ }, ({ path, kind, namespace }) =>
        // Of ours only: a package may have the name.
        kind === "entry-point" || namespace === "agate" ? { path, namespace: "agate" } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "agate" }, ({ path }) => ({
        contents: sources.get(path) ?? "",
        resolveDir: dirname(entry),
      }));
    },
  };
}

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
const FILE_META_DEFINES = {
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
function bundleHead(project: Project, folder: string): string {
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
function fileMeta({ folder }: Project): Plugin {
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
