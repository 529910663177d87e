import { configureTelemetry, defaultTelemetry } from "../tracing/default-telemetry.ts";
import type { ExportStatistics } from "../tracing/telemetry.ts";
import type { App, AppOptions, RoutesIn, TypedBy } from "./app.ts";
import { buildApp, checkOptions } from "./create-app.ts";

/** How the app of the process runs: `ag.init` sets it, until the app is first used. */
const settings: { options: AppOptions; isUsed: boolean } = { options: {}, isUsed: false };

/** The app that `ag.route` and `ag.entrypoint` declare on: one in a process. */
const defaultApp: App = buildApp({
  options: () => {
    settings.isUsed = true;
    return settings.options;
  },
  telemetry: defaultTelemetry,
});

/**
 * Says how the app runs, where the environment does not. Call it before the first request.
 *
 * @example
 * ag.init({ application: "support", baseUrl: "http://localhost:4100" });
 */
export function init(options: AppOptions): void {
  // Written out here, so that a bundle of a program that does not call it has none of the checks.
  if (settings.isUsed) {
    throw new Error("ag.init() comes too late: the app has been used already. Call it first.");
  }
  checkOptions(options);
  configureTelemetry(options);
  settings.options = options;
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
  return defaultApp.typed(...routes);
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

export const { route, entrypoint, ConfigManager, flush, shutdown } = defaultApp;
