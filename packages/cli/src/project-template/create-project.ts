import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { VERSION } from "@agate/platform/version";

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

export type InstallOutcome =
  | { readonly kind: "installed" }
  /** What npm said, as it said it. */
  | { readonly kind: "failed"; readonly said: string }
  | { readonly kind: "no-npm" };

/** Runs `npm install` in a project. */
export async function installPackages(directory: string): Promise<InstallOutcome> {
  const npm = spawn("npm", ["install", "--no-audit", "--no-fund", "--loglevel", "error"], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    // On Windows npm is a script, which only a shell can start.
    shell: process.platform === "win32",
  });
  const code = new Promise<number | null | "no-npm">((resolve, reject) => {
    npm.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" ? resolve("no-npm") : reject(error),
    );
    npm.once("close", resolve);
  });
  const [ended, stdout, stderr] = await Promise.all([code, text(npm.stdout), text(npm.stderr)]);
  if (ended === "no-npm") return { kind: "no-npm" };
  return ended === 0 ? { kind: "installed" } : { kind: "failed", said: stdout + stderr };
}

const SUFFIX = ".template";

/** The files of a new project: path → text, sorted by path. */
async function projectFiles(
  name: string,
  specs: PackageSpecs,
): Promise<ReadonlyMap<string, string>> {
  const folder = templateFolder();
  const templates = await readdir(folder);
  const files = await Promise.all(
    templates.map(async (template): Promise<[string, string]> => {
      const text = await readFile(new URL(template, folder), "utf8");
      return [template.slice(0, -SUFFIX.length), text.replaceAll("{{name}}", name)];
    }),
  );
  files.push(["package.json", `${JSON.stringify(projectManifest(name, specs), null, 2)}\n`]);
  return new Map(files.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Beside the built bundle, or, run from source, beside this file. */
function templateFolder(): URL {
  const built = new URL("./project-template/", import.meta.url);
  return existsSync(built) ? built : new URL("./files/", import.meta.url);
}

/** Where npm gets Agate's own packages from: a version, a range, a path or an address. */
interface PackageSpecs {
  readonly sdk: string;
  readonly cli: string;
}

/** The packages of this version: what the tool was tested with. */
export const OWN_SPECS: PackageSpecs = { sdk: VERSION, cli: VERSION };

/** The `package.json` of a new project. */
function projectManifest(name: string, { sdk, cli }: PackageSpecs): object {
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=24" },
    scripts: {
      dev: "agate dev app.ts",
      start: "agate serve app.ts",
      test: "node --test",
      eval: "agate eval",
      typecheck: "tsc",
      deploy: "agate deploy app.ts",
    },
    dependencies: { "@agate/sdk": sdk },
    devDependencies: {
      "@agate/cli": cli,
      "@types/node": "^24.0.0",
      typescript: "^7.0.0",
    },
  };
}
