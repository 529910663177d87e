import { lazyRouteComponent } from "@tanstack/react-router";
import type { Connection } from "../api/connection.ts";

/** What browsers and the bundler say of a part of the page that did not arrive, rather than failed. */
const NOT_LOADED = /dynamically imported module|importing a module script|preload css/i;

/**
 * A page that is loaded when it is first shown. One that does not arrive is waited for: see
 * {@link reloadForLostParts}. The router itself would leave the page at once, and for good where the
 * platform is away.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loadOrWait = () =>
    load().catch((error: unknown) => {
      if (import.meta.env.PROD && isNotLoaded(error)) return new Promise<never>(() => {});
      throw error;
    });
  return lazyRouteComponent(loadOrWait, name);
}

/**
 * Loads the whole page anew as soon as the platform answers, when a part of it did not arrive:
 * browsers do not ask for a module twice, and another version of the platform has others.
 */
export function reloadForLostParts(connection: Connection): void {
  window.addEventListener("vite:preloadError", ({ payload }) => {
    if (!isNotLoaded(payload)) return;
    connection.reportUnreachable();
    connection.subscribe(() => {
      if (connection.isUp) location.reload();
    });
  });
}

function isNotLoaded(error: unknown): boolean {
  return error instanceof Error && NOT_LOADED.test(error.message);
}
