import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import {
  declaredRange,
  installedPackage,
  nearestPackage,
  type PackageFolder,
} from "./package-folder.ts";
import type { Project } from "./project.ts";

/** A package that a bundle imports when it runs. */
export interface ImportedPackage {
  readonly name: string;
  /** As it was declared. */
  readonly range: string;
  /** The folder of the package that declares it. */
  readonly declaredIn: string;
  /** The versions that are installed for the sources that import it. */
  readonly installed: ReadonlySet<string>;
}

/** What a bundle leaves outside of itself, Node's own modules apart. */
export function importedPackages(project: Project, metafile: Metafile): readonly ImportedPackage[] {
  const left = new Set(Object.values(metafile.outputs).flatMap(({ imports }) => namesOf(imports)));
  const importers = new Map<string, Map<string, PackageFolder>>();
  for (const [input, { imports }] of Object.entries(metafile.inputs)) {
    const names = namesOf(imports).filter((name) => left.has(name));
    if (names.length === 0) continue;
    const owner = nearestPackage(join(project.folder, input)) ?? project;
    for (const name of names) {
      const owners = importers.get(name) ?? new Map();
      importers.set(name, owners.set(owner.folder, owner));
    }
  }
  return [...importers]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, owners]) => importedPackage(project, name, [...owners.values()]));
}

function importedPackage(
  project: Project,
  name: string,
  owners: readonly PackageFolder[],
): ImportedPackage {
  // What the project itself declares counts for everything that is bundled with it.
  const declaring = [project, ...owners].find((each) => declaredRange(each, name) !== undefined);
  const versions = owners.map(({ folder }) => installedPackage(folder, name)?.json.version);
  return {
    name,
    range: declaring === undefined ? "*" : (declaredRange(declaring, name) ?? "*"),
    declaredIn: (declaring ?? project).folder,
    installed: new Set(versions.filter((version) => version !== undefined)),
  };
}

function namesOf(
  imports: Metafile["inputs"][string]["imports"] | Metafile["outputs"][string]["imports"],
): string[] {
  return imports.flatMap(({ path, external }) => {
    if (!external || isBuiltin(path)) return [];
    const name = /^(?:@[^/]+\/)?[^/:]+/.exec(path)?.[0];
    return name === undefined || /^[a-z]+:/i.test(path) ? [] : [name];
  });
}
