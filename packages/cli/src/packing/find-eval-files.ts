import { glob, realpath, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { nearestPackage } from "./package-folder.ts";
import { type Project, type Refusal, refused, slashed } from "./project.ts";

const EVAL_FILE = /\.eval\.(?:[cm]?[jt]s|[jt]sx)$/;
const PATTERN = "**/*.eval.{ts,mts,cts,tsx,js,mjs,cjs,jsx}";

/** The eval files that are named, else all below the folder of the nearest `package.json`. By their real paths. */
export async function findEvalFiles(
  named: readonly string[],
  folder: string,
): Promise<readonly [string, ...string[]] | Refusal> {
  const found = named.length > 0 ? await namedFiles(named, folder) : await filesBelow(folder);
  if ("kind" in found) return found;
  const [first, ...others] = found;
  if (first !== undefined) return [first, ...others];
  return refused(
    `No eval files below ${rootOf(folder)}. Declare an evaluation in a file such as app.eval.ts; docs/guide/evaluating.md shows how.`,
  );
}

/** The eval files of a project, without those of packages in folders below: they belong to them. */
export async function evalFilesOf({ folder }: Project): Promise<readonly string[]> {
  const files = await filesBelow(folder);
  return files.filter((file) => nearestPackage(file)?.folder === folder);
}

async function namedFiles(
  named: readonly string[],
  folder: string,
): Promise<readonly string[] | Refusal> {
  const files = new Set<string>();
  for (const name of named) {
    const path = resolve(folder, name);
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isFile) return refused(`File not found: ${name}.`);
    if (!EVAL_FILE.test(name)) {
      return refused(`${name} is no eval file: its name must end with .eval.ts or .eval.js.`);
    }
    files.add(await realpath(path));
  }
  return [...files];
}

/** In the order of their names, so that runs are listed in the same order everywhere. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const root = rootOf(folder);
  const files: string[] = [];
  const exclude = (name: string) => name === "node_modules" || name.startsWith(".");
  for await (const file of glob(PATTERN, { cwd: root, exclude: (path) => exclude(lastOf(path)) })) {
    files.push(await realpath(join(root, file)));
  }
  return files.sort((one, other) =>
    slashed(relative(root, one)) < slashed(relative(root, other)) ? -1 : 1,
  );
}

function lastOf(path: string): string {
  return slashed(path).split("/").at(-1) ?? "";
}

function rootOf(folder: string): string {
  return nearestPackage(join(folder, "package.json"))?.folder ?? folder;
}
