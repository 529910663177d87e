import { BUILD_PERMISSIONS, type BuildPermission } from "@agate/protocol";
import type { PackageFolder } from "./package-folder.ts";
import { type Refusal, refused } from "./project.ts";

/** What `"agate"` in a project's package.json says. */
export interface ProjectSettings {
  /** The program's file, relative to the package.json. */
  readonly app: string | undefined;
  /** What deployed builds may do beyond the default: each once, in one order. */
  readonly allow: readonly BuildPermission[];
  /** Patterns of files that the program reads, beside those that a command names. */
  readonly include: readonly string[];
}

/** Reads and checks them all: a setting with a wrong name would be missed only where it matters. */
export function projectSettings({ folder, json }: PackageFolder): ProjectSettings | Refusal {
  const { agate = {} } = json;
  if (!isObject(agate)) return wrong(folder, '"agate" must be an object');
  const { app, allow = [], include = [], ...others } = agate;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const known = '"app", "allow" and "include"';
    return wrong(folder, `"agate" has no setting ${JSON.stringify(unknown)}, only ${known}`);
  }
  if (app !== undefined && typeof app !== "string") {
    return wrong(folder, '"agate.app" must be the path of a file');
  }
  if (!Array.isArray(allow)) return wrong(folder, '"agate.allow" must be a list');
  const stranger: unknown = allow.find((each) => !BUILD_PERMISSIONS.includes(each));
  if (stranger !== undefined) {
    const known = BUILD_PERMISSIONS.join(", ");
    return wrong(folder, `"agate.allow" takes ${known}, not ${JSON.stringify(stranger)}`);
  }
  if (!Array.isArray(include) || !include.every(isPattern)) {
    return wrong(
      folder,
      '"agate.include" must be a list of paths and patterns, as --include takes them',
    );
  }
  return {
    app,
    // The same request gives the same manifest.
    allow: BUILD_PERMISSIONS.filter((permission) => allow.includes(permission)),
    include,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPattern(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function wrong(folder: string, what: string): Refusal {
  return refused(`${folder}/package.json: ${what}.`);
}
