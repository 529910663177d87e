import type { EnvironmentVariables } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import { applicationKey, environmentPath } from "./applications.ts";
import type { PlatformClient } from "./platform-client.ts";

/** The variables of an environment, without the values of secrets. Needs the scope admin. */
export function variablesQuery(client: PlatformClient, app: string, environment: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "variables", environment],
    queryFn: ({ signal }) =>
      client.get<EnvironmentVariables>(`${environmentPath(app, environment)}/variables`, {
        signal,
      }),
  });
}

/** Many names are one change. */
export interface VariableChanges {
  readonly set?: Readonly<Record<string, string | { value: string; plain: true }>>;
  readonly unset?: readonly string[];
}

export function changeVariables(
  client: PlatformClient,
  app: string,
  environment: string,
  changes: VariableChanges,
) {
  const path = `${environmentPath(app, environment)}/variables`;
  return client.send<EnvironmentVariables>("PATCH", path, changes);
}
