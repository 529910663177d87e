import type {
  Application,
  Environment,
  RegistryVariant,
  Revision,
  RouteParams,
} from "@agate/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  applicationPath,
  applicationsQuery,
  environmentPath,
  variantPath,
} from "./applications.ts";
import type { PlatformClient } from "./platform-client.ts";
import { usePlatform } from "./platform-context.tsx";

/**
 * Changes something in the registry and refetches what is shown of it; after a rejected change too, since
 * stale data may be the reason.
 *
 * @example const rename = useRegistryChange((client, slug: string) => renameVariant(client, app, variant, slug));
 */
export function useRegistryChange<Input, Output>(
  change: (client: PlatformClient, input: Input) => Promise<Output>,
  then: {
    readonly onSuccess?: (output: Output) => void;
    readonly onError?: (error: Error) => void;
  } = {},
) {
  const client = usePlatform();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(client, input),
    ...then,
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: applicationsQuery(client).queryKey });
    },
  });
}

export function createApplication(client: PlatformClient, slug: string) {
  return client.send<Application>("POST", "/registry/applications", { slug });
}

export function renameApplication(client: PlatformClient, app: string, slug: string) {
  return client.send<Application>("PATCH", applicationPath(app), { slug });
}

export function deleteApplication(client: PlatformClient, app: string) {
  return client.send<undefined>("DELETE", applicationPath(app));
}

export function createVariant(client: PlatformClient, app: string, slug: string) {
  return client.send<RegistryVariant>("POST", `${applicationPath(app)}/variants`, { slug });
}

export function renameVariant(client: PlatformClient, app: string, variant: string, slug: string) {
  return client.send<RegistryVariant>("PATCH", variantPath(app, variant), { slug });
}

export function deleteVariant(client: PlatformClient, app: string, variant: string) {
  return client.send<undefined>("DELETE", variantPath(app, variant));
}

export interface Fork {
  readonly slug: string;
  readonly revision: number;
  readonly message?: string;
}

/** A new variant, whose revision 1 is a copy. */
export function forkVariant(client: PlatformClient, app: string, variant: string, fork: Fork) {
  return client.send<RegistryVariant>("POST", `${variantPath(app, variant)}/fork`, fork);
}

export interface Commit {
  readonly params: RouteParams;
  /** What it was made from; 0 for the first. Refused as `revision_stale` where another came first. */
  readonly base_revision: number;
  readonly message?: string;
  /** Whose build it is checked against; absent: the application's. */
  readonly environment?: string;
}

export function commitRevision(
  client: PlatformClient,
  app: string,
  variant: string,
  commit: Commit,
) {
  return client.send<Revision>("POST", `${variantPath(app, variant)}/revisions`, commit);
}

export function createEnvironment(client: PlatformClient, app: string, slug: string) {
  return client.send<Environment>("POST", `${applicationPath(app)}/environments`, { slug });
}

export function renameEnvironment(
  client: PlatformClient,
  app: string,
  environment: string,
  slug: string,
) {
  return client.send<Environment>("PATCH", environmentPath(app, environment), { slug });
}

export function switchPlayground(
  client: PlatformClient,
  app: string,
  environment: string,
  isOn: boolean,
) {
  const path = environmentPath(app, environment);
  return client.send<Environment>("PATCH", path, { playground: isOn });
}

export function deleteEnvironment(client: PlatformClient, app: string, environment: string) {
  return client.send<undefined>("DELETE", environmentPath(app, environment));
}

/** Nothing is live there any more: neither code nor configuration. */
export function takeDown(client: PlatformClient, app: string, environment: string) {
  return client.send<undefined>("DELETE", `${environmentPath(app, environment)}/deployment`);
}

/** The same for who deploys code. */
export function stopBuild(client: PlatformClient, app: string, environment: string) {
  const query = { environment };
  return client.send<undefined>("DELETE", `${applicationPath(app)}/builds/live`, undefined, {
    query,
  });
}
