import type { App } from "./app.ts";
import { ROUTE_PATHS } from "./app.ts";
import { app as defaultApp } from "./default-app.ts";

export interface RunOptions {
  /** What the module is called when there is something to say about it. */
  readonly file?: string | undefined;
}

/** The app that a program's module is served as; undefined where it declares no route. */
export function programApp(module: Readonly<Record<string, unknown>>): App | undefined {
  const apps = [module.default, module.app, defaultApp()].filter(isApp);
  return apps.find((each) => each[ROUTE_PATHS]().length > 0);
}

export function noRoute({ file = "The module" }: RunOptions): Error {
  return new Error(
    `${file} declares no route. Write one, export const hello = ag.route("/hello", HelloConfig)(async ({ name }) => …), or import the file that does.`,
  );
}

function isApp(value: unknown): value is App {
  return typeof value === "object" && value !== null && ROUTE_PATHS in value;
}
