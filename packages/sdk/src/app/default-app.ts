import { configureTelemetry, defaultTelemetry } from "../tracing/default-telemetry.ts";
import type { ExportStatistics } from "../tracing/telemetry.ts";
import type { App, AppOptions, RoutesIn, TypedBy } from "./app.ts";
import { buildApp, checkOptions } from "./create-app.ts";

/** The app that `ag.route` and `ag.entrypoint` declare on: one in a process. */
class DefaultApp {
  readonly app: App = buildApp({ options: () => this.#take(), telemetry: defaultTelemetry });
  #options: AppOptions = {};
  #isTaken = false;

  configure(options: AppOptions): void {
    if (this.#isTaken) {
      throw new Error("ag.init() comes too late: the app has been used already. Call it first.");
    }
    checkOptions(options);
    configureTelemetry(options);
    this.#options = options;
  }

  #take(): AppOptions {
    this.#isTaken = true;
    return this.#options;
  }
}

const defaultApp = new DefaultApp();

/**
 * Says how the app runs, where the environment does not. Call it before the first request.
 *
 * @example
 * ag.init({ application: "support", baseUrl: "http://localhost:4100" });
 */
export function init(options: AppOptions): void {
  defaultApp.configure(options);
}

/**
 * The app that `ag.route` declares on, as a web-standard handler. Given its routes, it is typed by
 * them, for `createClient<typeof app>`; decorated methods are given by their paths.
 *
 * @example
 * export const app = ag.app(summarize, { "/classify": Support.classify });
 * export default app; // Bun, Deno, workers
 * @throws DeclarationError where one of them is no route of this app, or has another path.
 */
export function app<Given extends readonly TypedBy[]>(
  ...routes: Given
): App<RoutesIn<Given[number]>> {
  return defaultApp.app.typed(...routes);
}

/**
 * What became of the spans that were to be exported; `GET /health` shows it, too.
 *
 * @example
 * const { dropped, lastError } = ag.exportStatistics();
 */
export function exportStatistics(): ExportStatistics {
  return defaultTelemetry().statistics();
}

export const { route, entrypoint, ConfigManager, flush, shutdown } = defaultApp.app;
