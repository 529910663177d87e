import { openProject, type Project, type Refusal, refused } from "../packing/project.ts";
import { findApp } from "./find-app.ts";

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
    if (error instanceof SyntaxError) return refused(`${error.message} Mend the file.`);
    throw error;
  }
}
