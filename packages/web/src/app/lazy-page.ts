import { lazyRouteComponent } from "@tanstack/react-router";
import type { Connection } from "../api/connection.ts";
import { isNotLoaded, loadPart } from "../design/load-part.ts";

/**
 * A page that is loaded when it is first shown. One that does not arrive is waited for: see
 * {@link reloadForLostParts}. The router itself would leave the page at once, and for good where the
 * platform is away.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => loadPart(load), name);
}

const RELOADED_AT = "agate-reloaded-at";
/** A part that does not arrive after that either will not the next time: something is in its way. */
const RELOADED_ONCE_IN_MS = 60_000;

/**
 * Loads the whole page anew as soon as the platform answers, when a part of it did not arrive:
 * browsers do not ask for a module twice, and another version of the platform has others.
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
