import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, BuildOptions, BuildResult, Message, Metafile, Plugin } from "esbuild";
import { type CodeProblem, codeProblem } from "./code-problem.ts";
import { type BundleRequest, externalPackages } from "./external-packages.ts";
import { bundleHead, FILE_META_DEFINES, fileMeta } from "./file-meta.ts";
import type { Project } from "./project.ts";

/** The names of what a bundle consists of. */
export const BUNDLE_FILE = "app.js";
export const BUNDLE_MAP_FILE = "app.js.map";

/** A program in one file. */
export interface Bundle {
  readonly kind: "bundle";
  /** By their names in the folder that it will lie in. */
  readonly files: ReadonlyMap<typeof BUNDLE_FILE | typeof BUNDLE_MAP_FILE, Uint8Array>;
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

export type BundleOptions = BuildOptions & { readonly metafile: true; readonly write: false };

/** How esbuild makes a bundle: the same for a deploy as while developing. */
export function bundleOptions(project: Project, request: BundleRequest): BundleOptions {
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
    plugins: [bundleEntry(project), externalPackages(project, request), fileMeta(project)],
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
      files: new Map(files) as Bundle["files"],
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
 * The entry module of the bundle. Its first import runs before the user's code, which may block; `run`
 * serves the declared routes, unless that code calls `serve` itself.
 */
function bundleEntry({ entry, entryName }: Project): Plugin {
  const sources = new Map([
    [
      ENTRY,
      `import ${JSON.stringify(PARENT)};
import * as app from ${JSON.stringify(`./${basename(entry)}`)};
import { run } from "@agate/sdk/runner";
await run(app, { file: ${JSON.stringify(entryName)} });
`,
    ],
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
