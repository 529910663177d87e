/** A path of the API, its variable parts encoded: made by {@link apiPath} only. */
export type ApiPath = string & { readonly __brand: "ApiPath" };

/** A name that no path can hold. */
export class UnusableName extends Error {
  override readonly name = "UnusableName";
}

/**
 * @example apiPath`/registry/applications/${"my app"}/variants` // "/registry/applications/my%20app/variants"
 * @throws {UnusableName} for a part that is empty, `.` or `..`: a URL drops those, encoded or not.
 */
export function apiPath(parts: TemplateStringsArray, ...names: readonly string[]): ApiPath {
  const encoded = names.map((name) => {
    if (/^\.{0,2}$/.test(name)) throw new UnusableName(`'${name}' is not a name.`);
    return encodeURIComponent(name);
  });
  return String.raw({ raw: parts }, ...encoded) as ApiPath;
}
