import { realpath, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, relative, resolve, sep } from "node:path";
import { BUILD_PERMISSIONS, type BuildPermission } from "@agate/protocol";
import { nearestPackage, type PackageFolder } from "./package-folder.ts";

/** A user's program, and the project that it belongs to. */
export interface Project extends PackageFolder {
  readonly kind: "project";
  /** The program's file, by its real path. */
  readonly entry: string;
  /** The same, relative to the folder, with `/`. */
  readonly entryName: string;
  /** The SDK that the project has installed. */
  readonly sdk: PackageFolder & { readonly version: string };
}

/** Why there is nothing to pack: one or two sentences, with what to do. */
export interface Refusal {
  readonly kind: "refused";
  readonly reason: string;
}

/** Finds the project of a program: the folder of the nearest `package.json`, with the SDK in it. */
export async function openProject(file: string): Promise<Project | Refusal> {
  const entry = await fileAt(resolve(file));
  if (entry === undefined) {
    return refused(`File not found: ${file}. Name the file that declares your routes: app.ts.`);
  }
  const found = readableProject(entry);
  if (found?.kind === "refused") return found;
  if (found === undefined) {
    return refused(
      `${file} belongs to no project: no folder above it has a package.json. Make one with npm init, then run npm install @agate/sdk.`,
    );
  }
  const runner = runnerOf(entry);
  if (runner === "missing") {
    return refused(`@agate/sdk is not installed in ${found.folder}. Run npm install @agate/sdk.`);
  }
  if (runner === "too old") {
    return refused(
      `The @agate/sdk in ${found.folder} is too old to be packed by this version of agate. Run npm install @agate/sdk@latest.`,
    );
  }
  const sdk = nearestPackage(await realpath(runner));
  const entryName = slashed(relative(found.folder, entry));
  const version = sdk?.json.version;
  if (sdk === undefined || version === undefined) {
    return refused(`The @agate/sdk in ${found.folder} is damaged. Install it again: npm install.`);
  }
  const { folder, json } = found;
  return { kind: "project", folder, json, entry, entryName, sdk: { ...sdk, version } };
}

function readableProject(
  entry: string,
): ({ readonly kind: "found" } & PackageFolder) | Refusal | undefined {
  try {
    const found = nearestPackage(entry);
    return found && { kind: "found", ...found };
  } catch (error) {
    if (error instanceof SyntaxError) return refused(error.message);
    throw error;
  }
}

async function fileAt(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await realpath(path) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The file of `@agate/sdk/runner` that a program would import. */
function runnerOf(entry: string): string {
  try {
    return createRequire(entry).resolve("@agate/sdk/runner");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "MODULE_NOT_FOUND") return "missing";
    if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return "too old";
    throw error;
  }
}

export function refused(reason: string): Refusal {
  return { kind: "refused", reason };
}

export function slashed(path: string): string {
  return path.split(sep).join("/");
}

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
    return wrong(
      folder,
      `"agate.allow" must be a list of ${known} (got ${JSON.stringify(stranger)})`,
    );
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

const MAX_LENGTH = 64;

/**
 * The default slug of an application: `AGATE_APPLICATION`, else the package's name
 * without its scope, else the folder's. Undefined where none of them has a letter or digit.
 *
 * @example
 * appName({ folder: "/work/desk", json: { name: "@acme/Support Desk" } }, {}) // "support-desk"
 */
export function appName(
  { folder, json }: PackageFolder,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  // Not normalised, so that an invalid value is reported instead of changed.
  if (environment.AGATE_APPLICATION) return environment.AGATE_APPLICATION;
  return toSlug(json.name?.replace(/^@[^/]*\//, "") ?? "") ?? toSlug(basename(folder));
}

function toSlug(text: string): string | undefined {
  const slug = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    // One separator at a time, and none at either end.
    .replaceAll(/([-_.])[-_.]+/g, "$1")
    .slice(0, MAX_LENGTH)
    .replaceAll(/^[-_.]+|[-_.]+$/g, "");
  return slug === "" ? undefined : slug;
}
