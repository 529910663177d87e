import type {
  BuildKind,
  BuildStatus,
  DeploymentKind,
  Runner,
  RunStatus,
  VariableAction,
} from "@agate/protocol";
import type { Generated, Kysely } from "kysely";

/**
 * The registry's tables, the same in every dialect. Times are ISO 8601 text in UTC with
 * milliseconds, so that their order is the order of time; JSON is text.
 */
export interface RegistryTables {
  projects: ProjectsTable;
  redaction_rules: RedactionRulesTable;
  api_keys: ApiKeysTable;
  sessions: SessionsTable;
  applications: ApplicationsTable;
  variants: VariantsTable;
  revisions: RevisionsTable;
  environments: EnvironmentsTable;
  variables: VariablesTable;
  variable_history: VariableHistoryTable;
  deployments: DeploymentsTable;
  builds: BuildsTable;
  server_reports: ServerReportsTable;
  route_calls: RouteCallsTable;
  scorer_revisions: ScorerRevisionsTable;
  test_sets: TestSetsTable;
  test_set_revisions: TestSetRevisionsTable;
  test_rows: TestRowsTable;
  runs: RunsTable;
  run_cases: RunCasesTable;
  run_results: RunResultsTable;
  run_leases: RunLeasesTable;
  run_workers: RunWorkersTable;
}

/** Where the registry is kept. */
export type RegistryDatabase = Kysely<RegistryTables>;

interface ProjectsTable {
  id: string;
  slug: string;
  created_at: string;
}

interface RedactionRulesTable {
  project_id: string;
  /** JSON: RedactionRules. */
  rules: string;
  updated_at: string;
  updated_by: string;
}

interface ApiKeysTable {
  id: string;
  project_id: string;
  name: string;
  prefix: string;
  /** Hex of the SHA-256 of the whole key: it has too much entropy to be guessed from it. */
  hash: string;
  /** JSON: a list of scopes. */
  scopes: string;
  /** JSON: the environments that it is limited to, such as `["staging","support/production"]`; null: none. */
  environments: string | null;
  created_at: string;
  last_used_at: string | null;
}

/** Browsers that are signed in. */
interface SessionsTable {
  /** Hex of the SHA-256 of what the cookie holds. */
  hash: string;
  /** The key that it was made with, and goes with. */
  key_id: string;
  created_at: string;
  expires_at: string;
}

interface ApplicationsTable {
  id: string;
  project_id: string;
  slug: string;
  created_at: string;
  /**
   * JSON: a list of RouteSchema, of the build that has `live` as its status. For servers of earlier
   * releases only; see `mirrorLiveBuild`.
   */
  schema: string | null;
  schema_updated_at: string | null;
}

interface VariantsTable {
  id: string;
  application_id: string;
  slug: string;
  created_at: string;
  /** 0 while there is none. */
  latest_revision: number;
  /** As for deployments: what it was forked from may have been deleted since. */
  forked_from_id: string | null;
  forked_from_slug: string | null;
  forked_from_revision: number | null;
}

interface RevisionsTable {
  variant_id: string;
  revision: number;
  /** JSON: RouteParams. */
  params: string;
  message: string;
  created_by: string;
  created_at: string;
}

interface EnvironmentsTable {
  id: string;
  application_id: string;
  /** 1, 2, 3 … within its application: the order that they are shown in. */
  number: number;
  slug: string;
  created_at: string;
  /** 1 for the one that calls which name no environment go to; 0 for others. */
  is_default: Generated<number>;
  /** 1 where its workflows may be called in the playground; else 0. */
  playground: Generated<number>;
  /** The slug that a deleted one had, for its history; null while it is there. Its own is its id then. */
  deleted_slug: Generated<string | null>;
}

interface VariablesTable {
  environment_id: string;
  name: string;
  /** 1, 2, 3 … for each change of the environment's variables: the one that set it. */
  version: number;
  /** 0 or 1. */
  is_secret: number;
  /** Of a secret: sealed for environment, name and version. */
  value: string;
  updated_by: string;
  updated_at: string;
}

/** Without values: who changed which names, and when. */
interface VariableHistoryTable {
  environment_id: string;
  name: string;
  version: number;
  action: VariableAction;
  changed_by: string;
  changed_at: string;
}

interface DeploymentsTable {
  id: string;
  application_id: string;
  environment_id: string;
  /** 1, 2, 3 … within its application: the order of its history. */
  number: number;
  /** The variant may have been deleted since: this is history. The slug is the one it had. */
  variant_id: string;
  variant_slug: string;
  revision: number;
  kind: DeploymentKind;
  /** The environment, which may have been deleted since, and the slug it had. */
  promoted_from_id: string | null;
  promoted_from_slug: string | null;
  rolled_back_to: string | null;
  message: string;
  deployed_by: string;
  deployed_at: string;
  /** Null while it is live, which one at most is in an environment and arm. */
  ended_at: string | null;
  /**
   * Its code. Null for history from before deployments had builds, and for what a server of an earlier
   * release has deployed: while it is live, the application's build with the status `live` counts.
   */
  build_id: string | null;
  /** Since when this code runs there without a restart: what only changes the configuration keeps it. */
  build_since: string | null;
  arm: Generated<"main">;
}

interface BuildsTable {
  id: string;
  application_id: string;
  /** 1, 2, 3 … within its application. */
  number: number;
  /**
   * `live` is one at most in an application, for servers of earlier releases: see `mirrorLiveBuild`.
   * What is live where is in the deployments. `preparing` is shown as `starting`: earlier releases would
   * take a `starting` one without a lease of its application for one that was given up.
   */
  status: BuildStatus | "preparing";
  created_by: string;
  created_at: string;
  /** JSON: a list of paths. */
  routes: string | null;
  size: number;
  sdk_version: string;
  message: string;
  refusal: string | null;
  /** When it became live, the last time; null also where that was before this was written down. */
  live_since: string | null;
  /** JSON: a list of permissions; null for builds from before there were restrictions. */
  allow: string | null;
  /** Hex of the SHA-256 of `agate-build.json`; null for builds from before it was recorded. */
  manifest_hash: string | null;
  /** JSON: a list of RouteSchema, as it has answered; null while it has not. */
  schema: Generated<string | null>;
  /** Hex of the SHA-256 of its archive; null for builds from before it was recorded. */
  archive_hash: Generated<string | null>;
  git_commit: Generated<string | null>;
  kind: Generated<BuildKind>;
  /** 1 of a build with eval files. */
  has_evals: Generated<number | null>;
  /** JSON: a list of DeclaredEvaluation; null while the eval files were not read. */
  evaluations: Generated<string | null>;
}

/** What each server runs, as it reports it. */
interface ServerReportsTable {
  server_id: string;
  environment_id: string;
  build_id: string;
  processes: number;
  restarts: number;
  /** How a process ended last, in words; null while none has. */
  last_exit: string | null;
  /** Of its processes together; null where it is not known. */
  memory_mib: number | null;
  reported_at: string;
}

/** When each route was last called in an environment, to the hour. */
interface RouteCallsTable {
  environment_id: string;
  route: string;
  last_called_at: string;
}

interface ScorerRevisionsTable {
  application_id: string;
  revision: number;
  /** JSON: ScorerConfigs. */
  configs: string;
  message: string;
  created_by: string;
  created_at: string;
}

interface TestSetsTable {
  id: string;
  project_id: string;
  slug: string;
  description: string;
  /** With `route`: what its rows are inputs of. Null again when the application is deleted. */
  application_id: string | null;
  route: string | null;
  created_by: string;
  created_at: string;
  /** 0 while there is none. */
  latest_revision: number;
  /** Of the latest revision. */
  row_count: number;
}

interface TestSetRevisionsTable {
  test_set_id: string;
  revision: number;
  message: string;
  created_by: string;
  created_at: string;
  row_count: number;
  added: number;
  changed: number;
  removed: number;
  moved: number;
}

/** Versions of rows: a change of one row adds one. */
interface TestRowsTable {
  test_set_id: string;
  row_id: string;
  /** The first revision that has it. */
  from_revision: number;
  /** The first revision that no longer has it; null while the latest has it. */
  to_revision: number | null;
  /** A whole number, with room for others between two: the order of a revision's rows. */
  position: number;
  /** Hex of the SHA-256 of the content as canonical JSON; `purged` for a purged one. */
  hash: string;
  /** Of the content. */
  bytes: number;
  /** JSON: TestRow without its id. */
  content: string;
  /** 0 or 1. */
  purged: number;
}

/** Runs of evaluations. */
interface RunsTable {
  /** Of this table: ids are unique in their project only. */
  key: string;
  project_id: string;
  application_id: string;
  /** 1, 2, 3 … within its project: the order that they are listed in. */
  number: number;
  /** As the client has chosen it, else the key. */
  id: string;
  evaluation: string;
  runner: Runner;
  status: RunStatus;
  reason: string | null;
  /** The test set of its cases; null where they are from elsewhere. */
  testset_name: string | null;
  /** JSON: RunSpec. */
  spec: string;
  /** Hex of the SHA-256 of the request that created it. */
  request_hash: string;
  started_by: string;
  started_at: string;
  /** When anything was last added to it. */
  updated_at: string;
  ended_at: string | null;
  cases: number;
  results: number;
  /** Of the results, those whose call failed. */
  errors: number;
  /** Of the results, those of unknown cost. */
  unknown_costs: number;
  call_cost: number;
  /** Of the results, those whose judges' cost is unknown. */
  unknown_judge_costs: number;
  judge_cost: number;
  /** Items before this one were leased; see run-items.ts. */
  next_item: number;
  /** JSON: RunVerdict. */
  verdict: string | null;
  /** JSON: RunFigures, once it has ended. */
  figures: string | null;
}

interface RunCasesTable {
  run_key: string;
  /** 0, 1, 2 … in the order that they were added in. */
  number: number;
  id: string;
  /** JSON: inputs, expected and metadata; null for a purged one. */
  content: string | null;
}

/** One for each case, column and trial that was called. */
interface RunResultsTable {
  run_key: string;
  case_number: number;
  /** The column's place in the run, from 0. */
  column_number: number;
  trial: number;
  status: "ok" | "error";
  /** JSON. */
  output: string | null;
  /** 0 or 1. */
  is_output_cut: number;
  error: string | null;
  trace_id: string | null;
  span_id: string | null;
  latency_ms: number | null;
  cost: number | null;
  judge_cost: number | null;
  /** JSON: a list of RunScore. */
  scores: string;
  /** JSON: a value or a status by score, all that figures and verdict need of `scores`. */
  outcomes: string;
  created_at: string;
}

/** Items of a run that are being called, or were by a server that ended. */
interface RunLeasesTable {
  run_key: string;
  item: number;
  token: string;
  expires_at: string;
}

/** Servers that carry a run out. They share its concurrency. */
interface RunWorkersTable {
  run_key: string;
  /** Another one for each server and start of it. */
  worker: string;
  expires_at: string;
}

/** What tells the rows of each table apart. A table comes after those that it refers to. */
export const REGISTRY_KEYS = {
  projects: ["id"],
  redaction_rules: ["project_id"],
  api_keys: ["id"],
  sessions: ["hash"],
  applications: ["id"],
  variants: ["id"],
  revisions: ["variant_id", "revision"],
  environments: ["id"],
  variables: ["environment_id", "name"],
  variable_history: ["environment_id", "version", "name"],
  deployments: ["id"],
  builds: ["id"],
  server_reports: ["server_id", "environment_id"],
  route_calls: ["environment_id", "route"],
  scorer_revisions: ["application_id", "revision"],
  test_sets: ["id"],
  test_set_revisions: ["test_set_id", "revision"],
  test_rows: ["test_set_id", "row_id", "from_revision"],
  runs: ["key"],
  run_cases: ["run_key", "number"],
  run_results: ["run_key", "case_number", "column_number", "trial"],
  run_leases: ["run_key", "item"],
  run_workers: ["run_key", "worker"],
} as const satisfies {
  readonly [Table in keyof RegistryTables]: readonly (keyof RegistryTables[Table])[];
};
