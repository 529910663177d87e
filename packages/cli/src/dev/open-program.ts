import { existsSync } from "node:fs";
import { join } from "node:path";
import { readPackageJson } from "../packing/package-folder.ts";
import {
  openProject,
  type Project,
  projectSettings,
  type Refusal,
  refused,
} from "../packing/project.ts";

/** The project of the program that is named, or of the one that is meant where none is. */
export async function openProgram(
  named: string | undefined,
  folder: string,
): Promise<Project | Refusal> {
  try {
    const found = named === undefined ? findApp(folder) : named;
    return typeof found === "string" ? await openProject(found) : found;
  } catch (error) {
    // A package.json that is none: the message names it.
    if (error instanceof SyntaxError) return refused(`${error.message} Fix the file.`);
    throw error;
  }
}

const USUAL = ["app.ts", "src/app.ts"] as const;

/**
 * The program that is meant where none is named: `agate.app` of the package.json, else `app.ts`, else
 * `src/app.ts`, else the package.json's `main`.
 *
 * @throws SyntaxError where the package.json is none.
 */
function findApp(folder: string): string | Refusal {
  const json = readPackageJson(folder) ?? {};
  const settings = projectSettings({ folder, json });
  if ("kind" in settings) return settings;
  const { app: named } = settings;
  const { main } = json as { readonly main?: unknown };
  if (named !== undefined) {
    return existsSync(join(folder, named))
      ? join(folder, named)
      : refused(`package.json names ${named} as agate.app, which is not there.`);
  }
  const candidates = [...USUAL, ...(typeof main === "string" ? [main] : [])];
  const file = candidates.find((candidate) => existsSync(join(folder, candidate)));
  if (file !== undefined) return join(folder, file);
  const looked = `${candidates.slice(0, -1).join(", ")} or ${candidates.at(-1)}`;
  return refused(
    `There is no ${looked} in ${folder}. Name the file that declares your routes, or make a project with agate init.`,
  );
}
