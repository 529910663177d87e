import type { RegistryTables } from "./registry-tables.ts";

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
  deployments: ["id"],
  builds: ["id"],
} as const satisfies {
  readonly [Table in keyof RegistryTables]: readonly (keyof RegistryTables[Table])[];
};
