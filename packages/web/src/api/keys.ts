import type { ApiKey, CreatedApiKey, Scope } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import type { PlatformClient } from "./platform-client.ts";

/** The keys of the project, oldest first, without their secrets. Needs the scope admin. */
export function keysQuery(client: PlatformClient) {
  return queryOptions({
    queryKey: [client.project, "keys"],
    queryFn: async ({ signal }) =>
      (await client.get<{ items: readonly ApiKey[] }>("/registry/keys", { signal })).items,
  });
}

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: no limit. */
  readonly environments: readonly string[] | null;
}

/** The answer has the whole key, which nothing ever shows again. */
export function createKey(client: PlatformClient, key: NewKey) {
  return client.send<CreatedApiKey>("POST", "/registry/keys", key);
}

export function revokeKey(client: PlatformClient, id: string) {
  return client.send<undefined>("DELETE", `/registry/keys/${encodeURIComponent(id)}`);
}
