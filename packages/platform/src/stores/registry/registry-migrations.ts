import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { registryTables } from "./migrations/0001-registry.ts";
import { liveSince } from "./migrations/0002-live-since.ts";
import { registryTriggers } from "./migrations/0003-signals.ts";
import { buildArchives } from "./migrations/0004-build-archives.ts";
import { deployScope } from "./migrations/0005-deploy-scope.ts";
import { countedSessions, sessions } from "./migrations/0006-sessions.ts";
import { deployLeases } from "./migrations/0007-deploy-leases.ts";
import { announcedRedactionRules, redactionRules } from "./migrations/0008-redaction-rules.ts";
import { announcedEnvironments, environments } from "./migrations/0009-environments.ts";
import { announcedVariables, variables } from "./migrations/0010-variables.ts";
import { keyLimits } from "./migrations/0011-key-limits.ts";
import { earlierServers } from "./migrations/0012-earlier-servers.ts";
import { serverMemory } from "./migrations/0013-server-memory.ts";
import { testSets } from "./migrations/0014-test-sets.ts";
import { runs } from "./migrations/0015-runs.ts";
import { scorerRevisions } from "./migrations/0016-scorer-revisions.ts";
import { runWorkers } from "./migrations/0017-run-workers.ts";
import { buildEvals } from "./migrations/0018-build-evals.ts";

/**
 * By name, in their order. Once released, one is never changed or renamed; new ones come at the end.
 * Numbers are given once for both databases: what only the other needs is left out.
 */
export type RegistryMigrations = Readonly<Record<string, Migration>>;

export const SQLITE_REGISTRY_MIGRATIONS: RegistryMigrations = {
  "0001-registry": registryTables("text"),
  "0002-live-since": liveSince,
  "0005-deploy-scope": deployScope,
  "0006-sessions": sessions("text"),
  "0008-redaction-rules": redactionRules("text"),
  "0009-environments": environments("text"),
  "0010-variables": variables("text"),
  "0011-key-limits": keyLimits,
  "0013-server-memory": serverMemory,
  "0014-test-sets": testSets("text"),
  "0015-runs": runs("text"),
  "0016-scorer-revisions": scorerRevisions("text"),
  "0017-run-workers": runWorkers("text"),
  "0018-build-evals": buildEvals,
};

export const POSTGRES_REGISTRY_MIGRATIONS: RegistryMigrations = {
  // Collation C gives the same order as SQLite's, independent of the database's locale.
  "0001-registry": registryTables(sql`text COLLATE "C"`),
  "0002-live-since": liveSince,
  "0003-signals": registryTriggers,
  "0004-build-archives": buildArchives,
  "0005-deploy-scope": deployScope,
  "0006-sessions": countedSessions(sql`text COLLATE "C"`),
  "0007-deploy-leases": deployLeases,
  "0008-redaction-rules": announcedRedactionRules(sql`text COLLATE "C"`),
  "0009-environments": announcedEnvironments(sql`text COLLATE "C"`),
  "0010-variables": announcedVariables(sql`text COLLATE "C"`),
  "0011-key-limits": keyLimits,
  "0012-earlier-servers": earlierServers,
  "0013-server-memory": serverMemory,
  "0014-test-sets": testSets(sql`text COLLATE "C"`),
  "0015-runs": runs(sql`text COLLATE "C"`),
  "0016-scorer-revisions": scorerRevisions(sql`text COLLATE "C"`),
  "0017-run-workers": runWorkers(sql`text COLLATE "C"`),
  "0018-build-evals": buildEvals,
};
