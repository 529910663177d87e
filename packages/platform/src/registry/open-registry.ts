import type { OpenRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import type { RegistrySignals } from "../stores/registry/registry-signals.ts";
import { SerialQueue } from "../stores/registry/serial-queue.ts";
import type { SecretKeys } from "../variables/secret-keys.ts";
import { noSecretKeys } from "../variables/secret-keys.ts";
import { createApplicationSchema } from "./application-schema.ts";
import { createApplications } from "./applications.ts";
import { createBuilds } from "./builds.ts";
import { createDeployments } from "./deployments.ts";
import { createEnvironments } from "./environments.ts";
import { createProjects, createRedaction, ensureDefaultProject } from "./projects.ts";
import type { ChangeFeed, Registry } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { createRevisions, resolveConfig } from "./revisions.ts";
import { createRuns } from "./runs/runs.ts";
import { createScorerRevisions } from "./scorer-revisions.ts";
import { createServerReports } from "./server-reports.ts";
import { createTestSets } from "./testsets/create-test-sets.ts";
import { createVariables } from "./variables.ts";
import { createVariants } from "./variants.ts";

export interface RegistryOptions {
  /** The clock; by default the system's. */
  readonly now?: () => Date;
  /** Seal and open secret variables; absent: there are none. */
  readonly secretKeys?: SecretKeys;
}

/**
 * The registry over an open database of any dialect. Closing it closes the database.
 *
 * @example const registry = await openRegistry(await openRegistryDatabase(address))
 */
export async function openRegistry(
  { db, signals }: Pick<OpenRegistryDatabase, "db" | "signals">,
  { now = () => new Date(), secretKeys = noSecretKeys() }: RegistryOptions = {},
): Promise<Registry> {
  const context: RegistryContext = {
    db,
    signals,
    queue: new SerialQueue(),
    secretKeys,
    now: () => now().toISOString(),
  };
  await ensureDefaultProject(context);
  const applications = createApplications(context);
  return {
    projects: createProjects(context),
    redaction: createRedaction(context),
    applications: { ...applications, ...createApplicationSchema(context) },
    variants: createVariants(context),
    revisions: createRevisions(context),
    environments: createEnvironments(context),
    variables: createVariables(context),
    deployments: createDeployments(context),
    builds: createBuilds(context),
    runs: createRuns(context, applications),
    scorers: createScorerRevisions(context),
    reports: createServerReports(context),
    testSets: createTestSets(context),
    changes: createChangeFeed(signals),
    signals,
    resolve: (ref, which, pair) => resolveConfig(context, ref, which, pair),
    async close() {
      await signals.close();
      await db.destroy();
    },
  };
}

/** Passes the registry's signals on to the listeners of each application. */
export function createChangeFeed(signals: Pick<RegistrySignals, "subscribe">): ChangeFeed {
  const listeners = new Map<string, Set<() => void>>();
  signals.subscribe((signal) => {
    if (signal.kind === "config") notify(listeners.get(signal.applicationId));
    else if (signal.kind === "everything") for (const known of listeners.values()) notify(known);
  });
  return {
    subscribe(applicationId, listener) {
      const known = listeners.get(applicationId) ?? new Set();
      listeners.set(applicationId, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0) listeners.delete(applicationId);
      };
    },
  };
}

function notify(listeners: ReadonlySet<() => void> | undefined): void {
  for (const listener of listeners ?? []) listener();
}
