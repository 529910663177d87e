import { isIncluded } from "../packing/included-files.ts";
import { readPackageJson } from "../packing/package-folder.ts";
import { projectSettings } from "../packing/project-settings.ts";

/**
 * Tells, once each, of files that the program reads and that a deployed build would not have.
 *
 * @returns what is told of every file that the program reads, relative to the project's folder.
 */
export function watchUnpackedReads(
  folder: string,
  onUnpacked: (file: string) => void,
): (file: string) => void {
  const told = new Set<string>();
  return (file) => {
    if (told.has(file) || isIncluded(file, patternsNow(folder))) return;
    told.add(file);
    onUnpacked(file);
  };
}

/** As they are now: the file may have been added since the program was started. */
function patternsNow(folder: string): readonly string[] {
  try {
    const settings = projectSettings({ folder, json: readPackageJson(folder) ?? {} });
    return "kind" in settings ? [] : settings.include;
  } catch (error) {
    // Of a package.json that is no JSON the build tells.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
