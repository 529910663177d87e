import type { App } from "../app/app.ts";
import { app as defaultApp } from "../app/default-app.ts";
import { ROUTE_PATHS } from "../app/route-paths.ts";
import { isServing, serve } from "../app/serve.ts";

export interface RunOptions {
  /** What the module is called when there is something to say about it. */
  readonly file?: string | undefined;
}

/**
 * Serves what a module declares, unless the module has called `ag.serve` itself: the app that it
 * exports as `default` or `app`, else the one that `ag.route` declares on. Of these, the first that
 * has routes.
 *
 * @example
 * import * as app from "./app.ts";
 * await run(app, { file: "app.ts" });
 * @throws Error which says what to write, where no route is declared.
 */
export async function run(
  module: Readonly<Record<string, unknown>>,
  { file = "The module" }: RunOptions = {},
): Promise<void> {
  if (isServing()) return;
  const apps = [module.default, module.app, defaultApp()].filter(isApp);
  const app = apps.find((each) => each[ROUTE_PATHS]().length > 0);
  if (app === undefined) {
    throw new Error(
      `${file} declares no route. Write one, export const hello = ag.route("/hello", HelloConfig)(async ({ name }) => …), or import the file that does.`,
    );
  }
  await serve({ app });
}

function isApp(value: unknown): value is App {
  return typeof value === "object" && value !== null && ROUTE_PATHS in value;
}
