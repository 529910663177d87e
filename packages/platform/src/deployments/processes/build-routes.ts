import { servicePath } from "../service-path.ts";
import type { ServedRoute, ServedRoutes } from "../services.ts";

/** The routes of a build, as its `/openapi.json` describes them. */
export class BuildRoutes implements ServedRoutes {
  readonly #routes = new Map<string, ServedRoute>();

  /** @param openapi Written by user code: what cannot be read in it is left out. */
  constructor(openapi: unknown) {
    for (const [path, item] of entriesOf(fieldOf(openapi, "paths"))) {
      const post = fieldOf(item, "post");
      const route = fieldOf(post, "x-ag-route");
      const timeout = fieldOf(post, "x-ag-timeout");
      if (typeof route !== "string") continue;
      this.#routes.set(servicePath(path), {
        route,
        isDeployed: fieldOf(post, "x-ag-endpoint") === "deployed",
        timeoutMs: typeof timeout === "number" && timeout > 0 ? timeout : null,
      });
    }
  }

  find(target: string): ServedRoute | undefined {
    return this.#routes.get(servicePath(target));
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
