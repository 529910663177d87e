import type { CreatedApiKey, Project, Scope } from "@agate/protocol";
import { isKeyEnvironment, KEY_ENVIRONMENT_RULE, MOST_KEY_ENVIRONMENTS } from "@agate/protocol";
import { API_KEY_NAME_RULE, isApiKeyName } from "./access/api-key-text.ts";
import { openAccess } from "./access/open-access.ts";
import { openRegistry } from "./registry/open-registry.ts";
import type { Projects } from "./registry/registry.ts";
import type { RegistryOutcome } from "./registry/registry-outcome.ts";
import { openRegistryDatabase } from "./stores/registry/open-registry-database.ts";
import { holdDataDirectory } from "./stores/sqlite/data-directory.ts";
import { DataDirectoryInUseError } from "./stores/sqlite/sqlite-errors.ts";
import type { RegistryAddress } from "./stores/store-address.ts";
import { StoreRefusalError, StoreUnavailableError } from "./stores/store-errors.ts";

export interface OfflineKeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The environments that it is limited to: see `isKeyEnvironment`. Without it, no limit. */
  readonly environments?: readonly string[] | undefined;
  /** Slug or id. An unknown slug creates the project: without a key, no request to a server could. */
  readonly project: string;
}

export type OfflineKeyOutcome =
  | {
      readonly kind: "created";
      readonly key: CreatedApiKey;
      readonly project: Project;
      readonly projectIsNew: boolean;
    }
  /** One sentence for the user. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Makes a key in a registry without asking a server: the first one, before a server starts that needs
 * it. A data directory is made if it is not there, and no server may be using it; a database may be in
 * use, and its servers take the key within a second.
 *
 * @example
 * const registry = { kind: "sqlite", directory: ".agate" } as const;
 * await createKeyOffline(registry, { name: "admin", scopes: ["admin"], project: "default" });
 */
export async function createKeyOffline(
  address: RegistryAddress,
  request: OfflineKeyRequest,
): Promise<OfflineKeyOutcome> {
  if (!isApiKeyName(request.name)) {
    return refused(
      `The name of a key must be ${API_KEY_NAME_RULE} (got ${JSON.stringify(request.name)}).`,
    );
  }
  const { environments = [] } = request;
  if (!environments.every(isKeyEnvironment) || environments.length > MOST_KEY_ENVIRONMENTS) {
    return refused(
      `A key is limited to at most ${MOST_KEY_ENVIRONMENTS} environments, each ${KEY_ENVIRONMENT_RULE}.`,
    );
  }
  try {
    return await createIn(address, request);
  } catch (error) {
    if (error instanceof DataDirectoryInUseError && address.kind === "sqlite") {
      return refused(
        `A server is using the data directory ${address.directory}. Make the key through it, without --data-dir, or stop it first.`,
      );
    }
    if (error instanceof StoreRefusalError) return refused(error.message);
    if (error instanceof StoreUnavailableError) return refused(error.reason);
    throw error;
  }
}

async function createIn(
  address: RegistryAddress,
  { project, ...request }: OfflineKeyRequest,
): Promise<OfflineKeyOutcome> {
  await using parts = new AsyncDisposableStack();
  if (address.kind === "sqlite") {
    const directory = holdDataDirectory(address.directory);
    parts.defer(() => directory.release());
  }
  const database = await openRegistryDatabase(address);
  const registry = await openRegistry(database);
  parts.defer(() => registry.close());
  const found = await findOrCreate(registry.projects, project);
  if (found.kind === "refused") return refused(found.problems[0].msg);
  const access = await openAccess({
    ...database,
    policy: "keys",
    rateLimit: 0,
    onInvalidKeys: () => {},
    onSaveFailed: () => {},
    onReloadFailed: () => {},
  });
  parts.defer(() => access.close());
  const key = await access.keys.create(found.value.project.id, request);
  return { kind: "created", key, ...found.value };
}

async function findOrCreate(
  projects: Projects,
  name: string,
): Promise<RegistryOutcome<{ readonly project: Project; readonly projectIsNew: boolean }>> {
  const found = await projects.get(name);
  if (found.kind === "done") {
    return { kind: "done", value: { project: found.value, projectIsNew: false } };
  }
  const created = await projects.create(name);
  if (created.kind === "refused") return created;
  return { kind: "done", value: { project: created.value, projectIsNew: true } };
}

function refused(reason: string): OfflineKeyOutcome {
  return { kind: "refused", reason };
}
