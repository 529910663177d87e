import { glob, readFile, stat } from "node:fs/promises";
import { isAbsolute, join, matchesGlob, normalize, relative } from "node:path";
import { BUILD_MANIFEST_FILE } from "@agate/protocol";
import { BUNDLE_FILE, BUNDLE_MAP_FILE, EVALS_FILE, EVALS_MAP_FILE } from "./bundle-app.ts";
import { type Refusal, refused, slashed } from "./project.ts";

/** The SDK reads it from the working directory, so it is always included. */
const CONFIG_FILE = "agate.config.json";

/** What a build has under these names is its own. */
const OWN_FILES: ReadonlySet<string> = new Set([
  BUILD_MANIFEST_FILE,
  BUNDLE_FILE,
  BUNDLE_MAP_FILE,
  EVALS_FILE,
  EVALS_MAP_FILE,
  "package.json",
  "package-lock.json",
]);

export type IncludeOutcome =
  | { readonly kind: "files"; readonly files: ReadonlyMap<string, Uint8Array> }
  | Refusal;

/** A pattern, and where it stands: `--include`, or `"agate.include" of package.json`. */
export interface IncludePattern {
  readonly pattern: string;
  readonly source: string;
}

/** Whether a file of a project is packed by these patterns. @param file Relative, with `/`. */
export function isIncluded(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => globsOf(pattern).some((glob) => matchesGlob(file, glob)));
}

/** The files of a project that its program reads: those that match a pattern, folders with all they hold. */
export async function includedFiles(
  folder: string,
  patterns: readonly IncludePattern[],
): Promise<IncludeOutcome> {
  const names = new Set<string>();
  if (await isFile(join(folder, CONFIG_FILE))) names.add(CONFIG_FILE);
  for (const { pattern, source } of patterns) {
    const named = `${source} ${pattern}`;
    if (isAbsolute(pattern) || pattern.split(/[\\/]/).includes("..")) {
      return refused(`${named} leaves the project's folder. Name files inside of ${folder}.`);
    }
    const matched = await filesMatching(folder, pattern);
    if (matched.length === 0) {
      return refused(`${named} matches no file in ${folder}.`);
    }
    for (const name of matched) names.add(name);
  }
  const taken = [...names].find((name) => OWN_FILES.has(name));
  if (taken !== undefined) {
    return refused(`${taken} cannot be included: a build has a file of that name of its own.`);
  }
  const files = new Map<string, Uint8Array>();
  for (const name of [...names].toSorted()) files.set(name, await readFile(join(folder, name)));
  return { kind: "files", files };
}

/** A folder means all that it holds. */
function globsOf(pattern: string): string[] {
  const path = normalize(pattern).replace(/[\\/]+$/, "");
  return [path, `${path}/**`];
}

async function filesMatching(folder: string, pattern: string): Promise<string[]> {
  const matched: string[] = [];
  const exclude = (name: string): boolean => name.split(/[\\/]/).includes("node_modules");
  for await (const path of glob(globsOf(pattern), { cwd: folder, exclude })) {
    const file = join(folder, path);
    if (await isFile(file)) matched.push(slashed(relative(folder, file)));
  }
  return matched;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
