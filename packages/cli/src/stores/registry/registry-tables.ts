import type { BuildStatus, DeploymentKind } from "@agate/protocol";
import type { Kysely } from "kysely";

/**
 * The registry's tables, the same in every dialect. Times are ISO 8601 text in UTC with
 * milliseconds, so that their order is the order of time; JSON is text.
 */
export interface RegistryTables {
  projects: ProjectsTable;
  api_keys: ApiKeysTable;
  applications: ApplicationsTable;
  variants: VariantsTable;
  revisions: RevisionsTable;
  environments: EnvironmentsTable;
  deployments: DeploymentsTable;
  builds: BuildsTable;
}

/** Where the registry is kept. */
export type RegistryDatabase = Kysely<RegistryTables>;

interface ProjectsTable {
  id: string;
  slug: string;
  created_at: string;
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
  created_at: string;
  last_used_at: string | null;
}

interface ApplicationsTable {
  id: string;
  project_id: string;
  slug: string;
  created_at: string;
  /** JSON: a list of RouteSchema. */
  schema: string | null;
  schema_updated_at: string | null;
  /** The build that serves it. */
  live_build_id: string | null;
}

interface VariantsTable {
  id: string;
  application_id: string;
  slug: string;
  created_at: string;
  /** 0 while there is none. */
  latest_revision: number;
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
  slug: string;
  created_at: string;
  live_deployment_id: string | null;
}

interface DeploymentsTable {
  id: string;
  environment_id: string;
  /** 1, 2, 3 … within its environment. */
  number: number;
  /** The variant may have been deleted since: this is history. */
  variant_id: string;
  variant_slug: string;
  revision: number;
  kind: DeploymentKind;
  promoted_from: string | null;
  rolled_back_to: string | null;
  message: string;
  deployed_by: string;
  deployed_at: string;
  ended_at: string | null;
}

interface BuildsTable {
  id: string;
  application_id: string;
  /** 1, 2, 3 … within its application. */
  number: number;
  status: BuildStatus;
  created_by: string;
  created_at: string;
  /** JSON: the document that the build answered as its `/openapi.json`. */
  openapi: string | null;
  size: number;
  sdk_version: string;
  message: string;
  refusal: string | null;
}
