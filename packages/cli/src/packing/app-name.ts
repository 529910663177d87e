import { basename } from "node:path";
import type { PackageFolder } from "./package-folder.ts";

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
