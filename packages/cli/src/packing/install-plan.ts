import { relative } from "node:path";
import type { BuildPermission } from "@agate/protocol";
import type { CodeProblem } from "./code-problem.ts";
import type { ImportedPackage } from "./external-packages.ts";
import {
  BUILD_PACKAGE_NAME,
  findLockfile,
  locate,
  type NpmLockfile,
  reduceLockfile,
} from "./lockfile.ts";
import { readPackageJson } from "./package-folder.ts";
import { type Project, type Refusal, refused, slashed } from "./project.ts";

/** What has to be installed where a bundle runs. */
export interface InstallPlan {
  readonly kind: "plan";
  readonly packageJson: object;
  /** Null where nothing has to be installed. */
  readonly lockfile: NpmLockfile | null;
}

/** A build's own package: it says that its program is an ES module. */
const PACKAGE = { name: BUILD_PACKAGE_NAME, private: true, type: "module" } as const;

/** Plans what to install for a bundle that imports these packages. */
export async function planInstall(
  project: Project,
  imported: readonly ImportedPackage[],
): Promise<InstallPlan | Refusal> {
  if (imported.length === 0) return { kind: "plan", packageJson: PACKAGE, lockfile: null };
  const found = await findLockfile(project.folder);
  const names = imported.map(({ name }) => name).join(", ");
  if (found.kind === "refused") return refused(`${found.reason} (The program imports ${names}.)`);
  const { folder, lockfile } = found;
  const wanted = imported.map((each) => ({
    ...each,
    importer: slashed(relative(folder, each.declaredIn)),
  }));
  const outdated = wanted.find((each) => !isLocked(lockfile, each));
  if (outdated !== undefined) return refused(disagreement(lockfile, outdated));
  const reduced = reduceLockfile(lockfile, wanted);
  if (reduced.kind === "refused") return reduced;
  const overrides = overridesOf(folder);
  return {
    kind: "plan",
    packageJson: {
      ...PACKAGE,
      dependencies: Object.fromEntries(wanted.map(({ name, range }) => [name, range])),
      ...(overrides === undefined ? {} : { overrides }),
    },
    lockfile: reduced.lockfile,
  };
}

type Wanted = ImportedPackage & { readonly importer: string };

/** Whether what is installed here, and was tried here, is what the lockfile says. */
function isLocked(lockfile: NpmLockfile, { installed, importer, name }: Wanted): boolean {
  const locked = lockedVersion(lockfile, importer, name);
  return [...installed].every((version) => version === locked);
}

function lockedVersion({ packages }: NpmLockfile, from: string, name: string): string | undefined {
  const location = locate((path) => Object.hasOwn(packages, path), from, name);
  return location === undefined ? undefined : packages[location]?.version;
}

function disagreement(lockfile: NpmLockfile, { name, installed, importer }: Wanted): string {
  const versions = [...installed].toSorted().join(" and ");
  if (installed.size > 1) {
    return `${name} is needed in versions ${versions} by sources that become one file. Let their package.json agree on one.`;
  }
  const locked = lockedVersion(lockfile, importer, name);
  return locked === undefined
    ? `${name} is not in package-lock.json. Run npm install to put it there.`
    : `${name} is installed in version ${versions}, but package-lock.json says ${locked}. Run npm install, so that what you tried is what runs elsewhere.`;
}

/** Without them npm would find that the lockfile breaks the ranges of other packages. */
function overridesOf(folder: string): unknown {
  const root = readPackageJson(folder);
  if (root?.overrides === undefined) return undefined;
  const ranges = { ...root.devDependencies, ...root.optionalDependencies, ...root.dependencies };
  // "$name" means the range that the project itself declares, which need not be in the build.
  const text = JSON.stringify(root.overrides, (_, value: unknown) =>
    typeof value === "string" && value.startsWith("$") ? (ranges[value.slice(1)] ?? value) : value,
  );
  return JSON.parse(text);
}

/**
 * The packages whose install scripts will not run where the build is deployed: a script is a child process
 * that usually compiles an addon, which the build may not use unless it requests it.
 */
export function skippedInstallScripts(
  { lockfile }: Pick<InstallPlan, "lockfile">,
  allow: readonly BuildPermission[],
): readonly CodeProblem[] {
  if (allow.includes("addons") || allow.includes("child-process")) return [];
  const names = Object.entries(lockfile?.packages ?? {})
    // Optional ones are often for other systems, and the program runs without them.
    .filter(([, { hasInstallScript, optional }]) => hasInstallScript === true && optional !== true)
    .map(([folder]) => folder.split("node_modules/").at(-1) ?? folder);
  if (names.length === 0) return [];
  const message = `Install scripts will not run on the server: ${[...new Set(names)].toSorted().join(", ")}.`;
  const hint = `If the program needs them, request it in package.json: "agate": {"allow": ["addons"]}.`;
  return [{ message, hint, location: null }];
}
