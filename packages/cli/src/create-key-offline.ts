import type { CreatedApiKey, Project, Scope } from "@agate/protocol";
import { API_KEY_NAME_RULE, isApiKeyName } from "./access/api-key-name.ts";
import { openAccess } from "./access/open-access.ts";
import { openRegistry } from "./registry/open-registry.ts";
import type { Projects } from "./registry/registry.ts";
import type { RegistryOutcome } from "./registry/registry-outcome.ts";
import { openRegistryDatabase } from "./stores/registry/open-registry-database.ts";
import { openDataDirectory } from "./stores/sqlite/data-directory.ts";
import {
  DataDirectoryError,
  DataDirectoryInUseError,
} from "./stores/sqlite/data-directory-error.ts";

export interface OfflineKeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Slug or id. A slug that no project has makes one: nobody else can where keys are needed. */
  readonly project: string;
}

export type OfflineKeyOutcome =
  | {
      readonly kind: "created";
      readonly key: CreatedApiKey;
      readonly project: Project;
      readonly projectIsNew: boolean;
    }
  /** One sentence for the person who asked. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Makes a key in a data directory that no server uses: the first one, before a server starts that
 * needs it. The directory is made if it is not there.
 *
 * @example await createKeyOffline(".agate", { name: "admin", scopes: ["admin"], project: "default" })
 */
export async function createKeyOffline(
  dataDirectory: string,
  request: OfflineKeyRequest,
): Promise<OfflineKeyOutcome> {
  if (!isApiKeyName(request.name)) {
    return refused(`A key takes ${API_KEY_NAME_RULE}, not ${JSON.stringify(request.name)}.`);
  }
  try {
    return await createIn(dataDirectory, request);
  } catch (error) {
    if (!(error instanceof DataDirectoryError)) throw error;
    if (!(error instanceof DataDirectoryInUseError)) return refused(error.message);
    return refused(
      `A server is using the data directory ${dataDirectory}. Make the key through it, without --data-dir, or stop it first.`,
    );
  }
}

async function createIn(
  dataDirectory: string,
  { name, scopes, project }: OfflineKeyRequest,
): Promise<OfflineKeyOutcome> {
  await using parts = new AsyncDisposableStack();
  const directory = openDataDirectory(dataDirectory);
  parts.defer(() => directory.release());
  const database = await openRegistryDatabase({ kind: "sqlite", directory: dataDirectory });
  const registry = await openRegistry(database);
  parts.defer(() => registry.close());
  const found = await findOrCreate(registry.projects, project);
  if (found.kind === "refused") return refused(found.problems[0].msg);
  const { keys } = await openAccess({
    ...database,
    policy: "keys",
    rateLimit: 0,
    onInvalidKeys: () => {},
    onSaveFailed: () => {},
    onReloadFailed: () => {},
  });
  const key = await keys.create(found.value.project.id, { name, scopes });
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
