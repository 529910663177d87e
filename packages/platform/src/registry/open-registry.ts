import type { OpenRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import { SerialQueue } from "../stores/registry/serial-queue.ts";
import { createApplications } from "./applications.ts";
import { createBuilds } from "./builds.ts";
import { createChangeFeed } from "./change-feed.ts";
import { createDeployments } from "./deployments.ts";
import { createEnvironments } from "./environments.ts";
import { createProjects, ensureDefaultProject } from "./projects.ts";
import { createRedaction } from "./redaction.ts";
import type { Registry } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { resolveConfig } from "./resolve-config.ts";
import { createRevisions } from "./revisions.ts";
import { createApplicationSchema } from "./schema/application-schema.ts";
import { createVariants } from "./variants.ts";

export interface RegistryOptions {
  /** What the time is; the system's clock. */
  readonly now?: () => Date;
}

/**
 * The registry over an open database, whatever its dialect. Closing it closes the database.
 *
 * @example const registry = await openRegistry(await openRegistryDatabase(address))
 */
export async function openRegistry(
  { db, signals }: Pick<OpenRegistryDatabase, "db" | "signals">,
  { now = () => new Date() }: RegistryOptions = {},
): Promise<Registry> {
  const context: RegistryContext = {
    db,
    signals,
    turns: new SerialQueue(),
    now: () => now().toISOString(),
  };
  await ensureDefaultProject(context);
  return {
    projects: createProjects(context),
    redaction: createRedaction(context),
    applications: { ...createApplications(context), ...createApplicationSchema(context) },
    variants: createVariants(context),
    revisions: createRevisions(context),
    environments: createEnvironments(context),
    deployments: createDeployments(context),
    builds: createBuilds(context),
    changes: createChangeFeed(signals),
    signals,
    resolve: (ref, which) => resolveConfig(context, ref, which),
    async close() {
      await signals.close();
      await db.destroy();
    },
  };
}
