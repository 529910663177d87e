import { BUILD_PERMISSIONS, type BuildPermission } from "@agate/protocol";
import { type Project, type Refusal, refused } from "./project.ts";

/** What a project requests for its deployed builds: `"agate": {"allow": [...]}` in its package.json. */
export function requestedPermissions({
  folder,
  json,
}: Project): readonly BuildPermission[] | Refusal {
  const { agate = {} } = json;
  if (typeof agate !== "object" || agate === null || Array.isArray(agate)) {
    return wrong(folder, '"agate" must be an object');
  }
  const { allow = [], ...others } = agate as { allow?: unknown };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    return wrong(folder, `"agate" has no setting ${JSON.stringify(unknown)}, only "allow"`);
  }
  if (!Array.isArray(allow)) return wrong(folder, '"agate.allow" must be a list');
  const stranger = allow.find((each) => !BUILD_PERMISSIONS.includes(each));
  if (stranger !== undefined) {
    const known = BUILD_PERMISSIONS.join(", ");
    return wrong(folder, `"agate.allow" takes ${known}, not ${JSON.stringify(stranger)}`);
  }
  // In one order, each once: the same request gives the same manifest.
  return BUILD_PERMISSIONS.filter((permission) => allow.includes(permission));
}

function wrong(folder: string, what: string): Refusal {
  return refused(`${folder}/package.json: ${what}.`);
}
