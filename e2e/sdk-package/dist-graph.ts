import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

export const SDK = join(import.meta.dirname, "../../packages/sdk");

/** What one file of the built SDK leads to. */
export interface DistGraph {
  /** The files that are loaded with it, by their paths in dist. */
  readonly files: readonly string[];
  /** The files and packages that are loaded later, if at all. */
  readonly late: readonly string[];
  /** The packages that are loaded with it. */
  readonly packages: readonly string[];
  /** Calls of `require`. */
  readonly required: readonly string[];
}

/** Follows the imports of a file of the built SDK. */
export async function distGraph(entry: string): Promise<DistGraph> {
  const { metafile } = await build({
    absWorkingDir: join(SDK, "dist"),
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    // `#serve` counts as a package: it is for the runtime to find.
    packages: "external",
    external: ["#*"],
    metafile: true,
    write: false,
    outdir: "unwritten",
  });
  const files = new Set([entry]);
  const late = new Set<string>();
  const packages = new Set<string>();
  const required = new Set<string>();
  for (const file of files) {
    for (const { path, kind, external } of metafile.inputs[file]!.imports) {
      if (kind === "dynamic-import") late.add(path);
      else if (kind !== "import-statement") required.add(path);
      else if (external) packages.add(path);
      else files.add(path);
    }
  }
  return { files: [...files], late: [...late], packages: [...packages], required: [...required] };
}

export function distFile(name: string): Promise<Buffer> {
  return readFile(join(SDK, "dist", name));
}
