/**
 * Why the registry did not do what it was asked for. Every type is one of the server's error types,
 * under the same name, and so part of the API.
 */
export const REGISTRY_PROBLEM_TYPES = [
  "project_not_found",
  "application_not_found",
  "schema_not_found",
  "variant_not_found",
  "revision_not_found",
  "environment_not_found",
  "deployment_not_found",
  "build_not_found",
  "build_unusable",
  "build_missing",
  "no_room",
  "breaking_change",
  "deployment_stale",
  "deploy_superseded",
  "slug_invalid",
  "slug_taken",
  "revision_stale",
  "still_live",
  "not_empty",
  "params_invalid",
  "config_invalid",
  "schema_invalid",
  "redaction_invalid",
  "variable_not_found",
  "variable_invalid",
  "secret_key_missing",
  "test_set_not_found",
  "test_set_invalid",
  "test_row_not_found",
  "rows_invalid",
  "evaluation_not_found",
  "evaluations_missing",
  "run_not_found",
  "run_conflict",
  "run_ended",
  "run_invalid",
] as const;
export type RegistryProblemType = (typeof REGISTRY_PROBLEM_TYPES)[number];

/** One thing wrong, for the client to read. */
export interface RegistryProblem {
  readonly type: RegistryProblemType;
  /** Where in the request: `["path", "variant"]`, `["body", "params", "/summarize", "temperature"]`. */
  readonly loc: readonly (string | number)[];
  /** Says what happened and what to do. */
  readonly msg: string;
}

export interface RegistryRefusal {
  readonly kind: "refused";
  readonly problems: readonly [RegistryProblem, ...RegistryProblem[]];
}

export type RegistryOutcome<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | RegistryRefusal;

export function done<Value>(value: Value): RegistryOutcome<Value> {
  return { kind: "done", value };
}

export function refused(...problems: [RegistryProblem, ...RegistryProblem[]]): RegistryRefusal {
  return { kind: "refused", problems };
}

/** The refusal that these problems are; undefined when there are none. */
export function refusalOf(problems: readonly RegistryProblem[]): RegistryRefusal | undefined {
  const [first, ...others] = problems;
  return first && refused(first, ...others);
}
