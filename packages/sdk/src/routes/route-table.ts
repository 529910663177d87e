import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ConfigSchema } from "../config/config-schema.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import type { FunctionKind } from "../runtime/function-kind.ts";
import type { ContentRules } from "../tracing/content-rules.ts";
import type { Call } from "./route-types.ts";

/** A route as the server sees it. */
export interface RouteDefinition {
  /** `/summarize`; the entrypoint is `/`. */
  readonly path: string;
  /** As messages and spans name it: `summarize`; the entrypoint is `/`. */
  readonly name: string;
  /** `invoke_workflow summarize`. */
  readonly spanName: string;
  readonly config: ConfigSchema<object>;
  readonly input: StandardSchemaV1 | undefined;
  readonly output: StandardSchemaV1 | undefined;
  readonly chunk: StandardSchemaV1 | undefined;
  readonly timeout: number | undefined;
  readonly description: string | undefined;
  /** Whether its deployed endpoint answers with what the function threw; undefined: as the app says. */
  readonly exposeErrors: boolean | undefined;
  /** What is not recorded of its calls. */
  readonly rules: ContentRules;
  /** Entrypoints have the paths `/generate` and `/generate_deployed` too. */
  readonly isEntrypoint: boolean;
  /** The function, bound to its object where it is a method. Throws while that object is missing. */
  readonly handler: (input: unknown, call: Call<unknown>) => unknown;
  /** Its name, where it is a decorated method. */
  readonly method?: string | symbol;
  /** Of which kind the function is. */
  readonly kind: FunctionKind;
  /** What the function gets where a call has no input. */
  readonly absentInput: () => unknown;
  /** The function as its author wrote it: its source shows what it takes. */
  readonly declared: (...args: never[]) => unknown;
}

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

const SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;
/** A character that a segment may have as it is. */
const PLAIN = /^[A-Za-z0-9._~!$&'()*+,;=:@-]$/;

/**
 * Checks the path of a route: a valid HTTP path that no server or proxy rewrites on its way.
 *
 * @throws DeclarationError which says what to write instead.
 */
export function checkRoutePath(path: string): void {
  if (path === "/") return;
  const problem = pathProblem(path);
  if (problem !== null) {
    throw new DeclarationError(`${JSON.stringify(path)} is not a path for a route: ${problem}`);
  }
}

/** Why a path is not a valid one, with what to write instead; null where it is. */
export function pathProblem(path: string): string | null {
  if (typeof path !== "string") return 'write a string such as "/summarize".';
  if (!path.startsWith("/")) return `it must begin with "/". Write ${quotedPath(path)}.`;
  if (/[?#]/.test(path))
    return "it may not have a query or a fragment; what varies belongs in the inputs.";
  if (/[{}]/.test(path) || path.includes("/:")) {
    return "routes have no path parameters; what varies belongs in the inputs.";
  }
  if (path.endsWith("/")) return `it may not end with "/". Write ${quotedPath(path)}.`;
  const segments = path.slice(1).split("/");
  if (segments.includes("")) return `it has an empty segment. Write ${quotedPath(path)}.`;
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    return '"." and ".." are resolved before a request is sent. Name the route without them.';
  }
  const bad = segments.find((segment) => !SEGMENT.test(segment));
  if (bad === undefined) return null;
  return `${JSON.stringify(bad)} has characters that a URL cannot hold. Write ${quotedPath(path)}.`;
}

/**
 * The one spelling of a path: `/a%3ab` and `/a%3Ab` are `/a:b`. Clients and proxies encode more than
 * they must, and with digits of either case; what only an escape can express stays one.
 */
export function canonicalPath(path: string): string {
  if (!path.includes("%")) return path;
  return path.replaceAll(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return PLAIN.test(character) ? character : encoded.toUpperCase();
  });
}

/** The nearest valid path, as a suggestion. */
function quotedPath(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  const safe = segments.map((segment) =>
    encodeURIComponent(segment.trim().replaceAll(/\s+/g, "-")),
  );
  return `"/${safe.join("/") || "summarize"}"`;
}
