import type {
  Application,
  ApplicationSchema,
  Build,
  ConfigDiff,
  Deployment,
  Environment,
  ListedRevision,
  RegistryVariant,
  Revision,
  ServerStatus,
} from "@agate/protocol";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import type { PlatformClient } from "./platform-client.ts";

interface Items<T> {
  readonly items: readonly T[];
}

export interface Page<T> extends Items<T> {
  readonly next_cursor: string | null;
}

/** `/registry/applications/{app}`, for paths below it. */
export function applicationPath(app: string): string {
  return `/registry/applications/${encodeURIComponent(app)}`;
}

export function variantPath(app: string, variant: string): string {
  return `${applicationPath(app)}/variants/${encodeURIComponent(variant)}`;
}

export function environmentPath(app: string, environment: string): string {
  return `${applicationPath(app)}/environments/${encodeURIComponent(environment)}`;
}

/** Everything that is asked about an application has a key that begins with this. */
export function applicationKey(client: PlatformClient, app: string): readonly unknown[] {
  return [client.project, "applications", app];
}

export function applicationsQuery(client: PlatformClient) {
  return queryOptions({
    queryKey: [client.project, "applications"],
    queryFn: async ({ signal }) =>
      (await client.get<Items<Application>>("/registry/applications", { signal })).items.map(
        withEntrypointFirst,
      ),
  });
}

export function applicationQuery(client: PlatformClient, app: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "itself"],
    queryFn: async ({ signal }) =>
      withEntrypointFirst(await client.get<Application>(applicationPath(app), { signal })),
  });
}

/**
 * What the routes of an environment's build take; null where none is live.
 *
 * @param environment Null is the application's default one, or where nothing is live there, its newest build.
 */
export function schemaQuery(
  client: PlatformClient,
  app: string,
  environment: string | null = null,
) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "schema", environment],
    queryFn: async ({ signal }): Promise<ApplicationSchema | null> => {
      try {
        const path = `${applicationPath(app)}/schema`;
        return schemaWithEntrypointFirst(
          await client.get<ApplicationSchema>(path, { query: { environment }, signal }),
        );
      } catch (error) {
        if (error instanceof ApiError && error.has("schema_not_found")) return null;
        throw error;
      }
    },
  });
}

export function variantsQuery(client: PlatformClient, app: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "variants"],
    queryFn: ({ signal }) => readVariants(client, app, signal),
  });
}

export async function readVariants(
  client: PlatformClient,
  app: string,
  signal?: AbortSignal,
): Promise<readonly RegistryVariant[]> {
  const path = `${applicationPath(app)}/variants`;
  return (await client.get<Items<RegistryVariant>>(path, { signal })).items;
}

/** Newest first, a page at a time. */
export function revisionsQuery(client: PlatformClient, app: string, variant: string) {
  return infiniteQueryOptions({
    queryKey: [...applicationKey(client, app), "revisions", variant],
    queryFn: ({ signal, pageParam }) =>
      client.get<Page<ListedRevision>>(`${variantPath(app, variant)}/revisions`, {
        query: { cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** A revision with its `params`. A number's never changes; `latest` does. */
export function revisionQuery(
  client: PlatformClient,
  app: string,
  variant: string,
  revision: number | "latest",
) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "revision", variant, revision],
    queryFn: ({ signal }) =>
      client.get<Revision>(`${variantPath(app, variant)}/revisions/${revision}`, { signal }),
    ...(revision !== "latest" && { staleTime: Number.POSITIVE_INFINITY }),
  });
}

/** `from` and `to`: `default`, `default@3`, `env:production`. */
export function diffQuery(client: PlatformClient, app: string, from: string, to: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "diff", from, to],
    queryFn: ({ signal }) =>
      client.get<ConfigDiff>(`${applicationPath(app)}/diff`, { query: { from, to }, signal }),
  });
}

export function environmentsQuery(client: PlatformClient, app: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "environments"],
    queryFn: async ({ signal }) =>
      (await client.get<Items<Environment>>(`${applicationPath(app)}/environments`, { signal }))
        .items,
  });
}

/** What each server runs, in all environments. */
export function serversQuery(client: PlatformClient, app: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "servers"],
    queryFn: async ({ signal }) =>
      (await client.get<Items<ServerStatus>>(`${applicationPath(app)}/servers`, { signal })).items,
  });
}

/** Newest first, a page at a time; of one environment, or of all. */
export function deploymentsQuery(client: PlatformClient, app: string, environment: string | null) {
  const path = environment === null ? applicationPath(app) : environmentPath(app, environment);
  return infiniteQueryOptions({
    queryKey: [...applicationKey(client, app), "deployments", environment],
    queryFn: ({ signal, pageParam }) =>
      client.get<Page<Deployment>>(`${path}/deployments`, { query: { cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** Newest first, a page at a time. */
export function buildsQuery(client: PlatformClient, app: string) {
  return infiniteQueryOptions({
    queryKey: [...applicationKey(client, app), "builds"],
    queryFn: ({ signal, pageParam }) =>
      client.get<Page<Build>>(`${applicationPath(app)}/builds`, {
        query: { cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** A build's facts. */
export function buildQuery(client: PlatformClient, app: string, build: number) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "build", build],
    queryFn: ({ signal }) =>
      client.get<Build>(`${applicationPath(app)}/builds/${build}`, { signal }),
  });
}

/**
 * The path of an application behind the gateway.
 *
 * @param environment Whose build is called; null leaves it to the platform.
 */
export function servicePath(app: string, environment: string | null = null): string {
  const name = encodeURIComponent(app);
  return environment === null
    ? `/services/${name}`
    : `/services/${name}@${encodeURIComponent(environment)}`;
}

/** Whether anything answers calls of the application: its build, or `agate dev`. For who may call it. */
export function servingQuery(client: PlatformClient, app: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "serving"],
    queryFn: async ({ signal }): Promise<boolean> => {
      try {
        await client.open("GET", `${servicePath(app)}/health`, undefined, { signal });
        return true;
      } catch (error) {
        // Of who asks, or how often: that says nothing of the application.
        if (!(error instanceof ApiError) || [401, 403, 429].includes(error.status)) throw error;
        return false;
      }
    },
  });
}

/**
 * The route that answers at the application's own address comes first, wherever it was declared: what
 * it is made of often has to be declared before it.
 */
export function entrypointFirst<Route>(
  routes: readonly Route[],
  pathOf: (route: Route) => string,
): readonly Route[] {
  const isEntrypoint = (route: Route) => pathOf(route) === "/";
  return [...routes.filter(isEntrypoint), ...routes.filter((route) => !isEntrypoint(route))];
}

/** The application, its entrypoint first. */
function withEntrypointFirst(application: Application): Application {
  const { routes } = application;
  return { ...application, routes: routes && entrypointFirst(routes, (path) => path) };
}

/** The schema, its entrypoint first. */
function schemaWithEntrypointFirst(schema: ApplicationSchema): ApplicationSchema {
  return { ...schema, routes: entrypointFirst(schema.routes, ({ route }) => route) };
}
