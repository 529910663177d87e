import type { App } from "./app.ts";
import { app as defaultApp } from "./default-app.ts";
import type { ServeOptions, Serving } from "./serving.ts";

/**
 * Listens on Node: for one app, or for the one that `ag.route` declares on.
 *
 * @example
 * const { url } = await ag.serve({ port: 4101 });
 */
export async function serve(options: ServeOptions & { readonly app?: App } = {}): Promise<Serving> {
  // Which file this is depends on the runtime: see `imports` in package.json.
  const { serveOnNode } = await import("#serve");
  return serveOnNode(options.app ?? defaultApp(), options);
}
