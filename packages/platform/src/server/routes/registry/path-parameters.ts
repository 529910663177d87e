import type { ErrorType } from "../../errors/error-types.ts";
import type { PathParameterDoc } from "../route.ts";

interface NamedInPath extends PathParameterDoc {
  /** What is answered when there is no such thing. */
  readonly missing: ErrorType;
}

function named(description: string, example: string, missing: ErrorType): NamedInPath {
  return { description, schema: { type: "string", examples: [example] }, missing };
}

/** What may stand in the paths of the registry. */
export const PATH_PARAMETERS = {
  app: named("Slug or id of the application.", "quickstart", "application_not_found"),
  variant: named("Slug or id of the variant.", "default", "variant_not_found"),
  environment: named("Slug or id of the environment.", "production", "environment_not_found"),
  build: named("Number or id of the build.", "3", "build_not_found"),
  revision: named("Number of the revision, or `latest`.", "latest", "revision_not_found"),
} as const satisfies Record<string, NamedInPath>;

export type PathParameter = keyof typeof PATH_PARAMETERS;

/** The parameters of a path: `"app" | "variant"` for `/registry/applications/{app}/variants/{variant}`. */
export type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Extract<Name, PathParameter> | ParametersIn<Rest>
  : never;

export function parametersIn<Path extends string>(path: Path): readonly ParametersIn<Path>[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as ParametersIn<Path>);
}
