import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectFiles } from "./project-files.ts";
import type { PackageSpecs } from "./project-manifest.ts";

export interface NewProject {
  /** Absolute. It is made if it is not there. */
  readonly directory: string;
  /** A slug: the package's name, and so the application's. */
  readonly name: string;
  readonly specs: PackageSpecs;
}

export type CreateOutcome =
  | { readonly kind: "created"; readonly files: readonly string[] }
  /** Nothing was changed. `present` is what lies there, sorted. */
  | { readonly kind: "not-empty"; readonly present: readonly string[] }
  | { readonly kind: "not-a-directory" };

/** What may lie in a folder that still counts as empty. */
const HARMLESS: ReadonlySet<string> = new Set([
  ".DS_Store",
  ".git",
  ".gitattributes",
  ".idea",
  ".vscode",
  "LICENSE",
]);

/** Writes the files of a new project. No file that is there is ever touched. */
export async function createProject(project: NewProject): Promise<CreateOutcome> {
  const { directory, name, specs } = project;
  const present = await entriesOf(directory);
  if (present === undefined) return { kind: "not-a-directory" };
  const inTheWay = present.filter((entry) => !HARMLESS.has(entry));
  if (inTheWay.length > 0) return { kind: "not-empty", present: inTheWay.toSorted() };
  const files = await projectFiles(name, specs);
  await mkdir(directory, { recursive: true });
  for (const [path, text] of files) await writeFile(join(directory, path), text, { flag: "wx" });
  return { kind: "created", files: [...files.keys()] };
}

/** Undefined where the path is something else than a folder. */
async function entriesOf(directory: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") return undefined;
    throw error;
  }
}
