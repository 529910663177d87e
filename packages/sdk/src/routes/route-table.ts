import { DeclarationError } from "../config/declaration-error.ts";
import type { RouteDefinition } from "./route-definition.ts";
import { canonicalPath } from "./route-path.ts";

/** Which of a route's two endpoints was called: contract 4.3. */
export type Endpoint = "playground" | "deployed";

export interface RouteMatch {
  readonly route: RouteDefinition;
  readonly endpoint: Endpoint;
}

/** The routes of an app, by the paths that they are served at. */
export class RouteTable {
  readonly #routes = new Map<string, RouteDefinition>();
  readonly #served = new Map<string, RouteMatch>();

  /** @throws DeclarationError when the path is taken. */
  add(route: RouteDefinition): void {
    for (const [, path] of servedPaths(route)) {
      const taken = this.match(path)?.route;
      if (taken !== undefined) throw new DeclarationError(conflict(taken, route));
    }
    this.replace(route);
  }

  /** Likewise, in the place of a route that has the path already. */
  replace(route: RouteDefinition): void {
    this.#routes.set(route.path, route);
    for (const [endpoint, path] of servedPaths(route)) {
      this.#served.set(canonicalPath(path), { route, endpoint });
    }
  }

  /** The route of a request's path, with or without a slash at its end, however it is encoded. */
  match(pathname: string): RouteMatch | undefined {
    const path = canonicalPath(pathname);
    return (
      this.#served.get(path) ??
      (path.endsWith("/") ? this.#served.get(path.slice(0, -1)) : undefined)
    );
  }

  get(path: string): RouteDefinition | undefined {
    return this.#routes.get(path);
  }

  /** In the order of their declaration. */
  all(): RouteDefinition[] {
    return [...this.#routes.values()];
  }
}

/** The paths of both endpoints: contract 4.3 and 4.4. */
export function servedPaths(route: RouteDefinition): (readonly [Endpoint, string])[] {
  const rest = route.path === "/" ? "" : route.path;
  const paths: (readonly [Endpoint, string])[] = [
    ["playground", `/playground/run${rest}`],
    ["deployed", `/run${rest}`],
  ];
  if (route.isEntrypoint) {
    paths.unshift(["playground", "/generate"]);
    paths.push(["deployed", "/generate_deployed"]);
  }
  return paths;
}

function conflict(taken: RouteDefinition, route: RouteDefinition): string {
  if (taken.isEntrypoint && route.isEntrypoint) {
    return 'An app has one entrypoint, and this is a second one. Make it a route: ag.route("/…", …).';
  }
  if (route.path === "/") {
    return 'The entrypoint is the route "/", and both are declared. Keep one of them.';
  }
  const other = taken.path === route.path ? "" : `, as ${taken.path} and as ${route.path}`;
  return `The route ${route.path} is declared twice${other}. Give one of them another path.`;
}
