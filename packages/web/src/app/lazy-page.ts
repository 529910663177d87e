import { lazyRouteComponent } from "@tanstack/react-router";
import type { Connection } from "../api/connection.ts";
import { isNotLoaded, loadPart } from "../design/load-part.ts";

/**
 * A page whose script is loaded when it is first shown. While the script cannot be loaded the page
 * waits for {@link reloadForLostParts}; the router would reload at once, into an error page of the
 * browser where the platform is down.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => loadPart(load), name);
}

const RELOADED_AT = "agate-reloaded-at";
/** If loading fails again so soon after a reload, another reload would not help. */
const RELOADED_ONCE_IN_MS = 60_000;

/**
 * Reloads the page once the platform answers, after a script could not be loaded: browsers do not
 * request a failed module again, and another version of the platform has other modules.
 */
export function reloadForLostParts(connection: Connection): void {
  window.addEventListener("vite:preloadError", ({ payload }) => {
    const since = Date.now() - Number(sessionStorage.getItem(RELOADED_AT));
    if (!isNotLoaded(payload) || since < RELOADED_ONCE_IN_MS) return;
    connection.reportUnreachable();
    connection.subscribe(() => {
      if (!connection.isUp) return;
      sessionStorage.setItem(RELOADED_AT, String(Date.now()));
      location.reload();
    });
  });
}
