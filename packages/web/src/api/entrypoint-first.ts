import type { Application, ApplicationSchema } from "@agate/protocol";

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
export function withEntrypointFirst(application: Application): Application {
  const { routes } = application;
  return { ...application, routes: routes && entrypointFirst(routes, (path) => path) };
}

/** The schema, its entrypoint first. */
export function schemaWithEntrypointFirst(schema: ApplicationSchema): ApplicationSchema {
  return { ...schema, routes: entrypointFirst(schema.routes, ({ route }) => route) };
}
