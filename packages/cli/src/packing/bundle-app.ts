import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, BuildOptions, BuildResult, Message, Metafile } from "esbuild";
import { bundleEntry, ENTRY_POINT } from "./bundle-entry.ts";
import type { BundleRequest } from "./bundle-request.ts";
import { type CodeProblem, codeProblem } from "./code-problem.ts";
import { externalPackages } from "./external-packages.ts";
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

/** Nobody can mend what is inside an installed package. */
function ofOwnCode({ folder, sdk }: Project, warnings: readonly Message[]): readonly Message[] {
  return warnings.filter(({ location }) => {
    const file = location === null ? "" : join(folder, location.file);
    return !file.startsWith(sdk.folder) && !/[\\/]node_modules[\\/]/.test(file);
  });
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && Array.isArray((error as Partial<BuildFailure>).errors);
}
