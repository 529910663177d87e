import { environment } from "../runtime/environment.ts";
import { type OptionNames, unknownOption } from "../runtime/unknown-option.ts";
import type { App } from "./app.ts";
import { app as defaultApp } from "./default-app.ts";
import type { ServeOptions, Serving } from "./serve-module.ts";

/** The apps that this process serves, each from the call of `serve` until it is closed. */
const servings = new Map<App, Promise<Serving>>();

/**
 * Listens on Node: for one app, or for the one that `ag.route` declares on.
 *
 * @example
 * const { url } = await ag.serve({ port: 4101 });
 */
export async function serve(options: ServeOptions & { readonly app?: App } = {}): Promise<Serving> {
  const unknown = unknownOption("ag.serve()", options, OPTIONS);
  if (unknown !== null) throw new TypeError(unknown);
  const app = options.app ?? defaultApp();
  const before = servings.get(app);
  // `agate dev` and the platform may serve the app before the program's own call of `serve`.
  if (before !== undefined && environment("AGATE_LISTEN") !== undefined) return before;
  const forget = (): void => {
    if (servings.get(app) === serving) servings.delete(app);
  };
  const serving = listen(app, options, forget);
  servings.set(app, serving);
  serving.catch(forget);
  return serving;
}

const OPTIONS: OptionNames<ServeOptions & { readonly app?: App }> = {
  app: true,
  port: true,
  hostname: true,
  signals: true,
};

/** The apps that `serve` was called for, even if it does not listen yet. */
export function servedApps(): readonly App[] {
  return [...servings.keys()];
}

async function listen(app: App, options: ServeOptions, forget: () => void): Promise<Serving> {
  // Which file this is depends on the runtime: see `imports` in package.json.
  const { serveOnNode } = await import("#serve");
  const { close, ...where } = await serveOnNode(app, options);
  return { ...where, close: () => close().finally(forget) };
}
