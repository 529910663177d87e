import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { Compass } from "lucide-react";
import type { Connection } from "../api/connection.ts";
import { parseDashboardSearch } from "../dashboard/dashboard-search.ts";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { isNotLoaded, loadPart } from "../design/load-part.ts";
import { parsePlaygroundSearch } from "../playground/playground-search.ts";
import { parseCompareSearch } from "../registry/compare-search.ts";
import { parseRunSearch, parseRunsSearch } from "../runs/runs-search.ts";
import { parseDiffSearch } from "../testsets/diff-search.ts";
import { parseTraceSearch, parseTracesSearch } from "../traces/traces-search.ts";
import { CONTENT_ID, RootLayout } from "./root-layout.tsx";

/** Every page by its path. Pages are loaded when they are first shown. */
export function createPageRouter(connection: Connection) {
  const root = createRootRoute({
    component: () => <RootLayout connection={connection} />,
    validateSearch: ({ project }: Record<string, unknown>): { project?: string } =>
      typeof project === "string" ? { project } : {},
    search: { middlewares: [retainSearchParams(["project"])] },
  });
  const under = () => root;
  const routes = [
    createRoute({
      getParentRoute: under,
      path: "/",
      validateSearch: parseDashboardSearch,
      component: lazyPage(() => import("../dashboard/dashboard-page.tsx"), "DashboardPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/traces",
      validateSearch: parseTracesSearch,
      component: lazyPage(() => import("../traces/traces-page.tsx"), "TracesPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/traces/$traceId",
      validateSearch: parseTraceSearch,
      component: lazyPage(() => import("../traces/trace-page.tsx"), "TracePage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/playground",
      component: lazyPage(
        () => import("../playground/playground-start-page.tsx"),
        "PlaygroundStartPage",
      ),
    }),
    createRoute({
      getParentRoute: under,
      path: "/apps/$app/playground",
      validateSearch: parsePlaygroundSearch,
      component: lazyPage(() => import("../playground/playground-page.tsx"), "PlaygroundPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/apps",
      component: lazyPage(() => import("../registry/apps-page.tsx"), "AppsPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/apps/$app",
      component: lazyPage(() => import("../registry/app-page.tsx"), "AppPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/apps/$app/variants/$variant",
      component: lazyPage(() => import("../registry/variant-page.tsx"), "VariantPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/apps/$app/environments/$environment",
      component: lazyPage(() => import("../registry/environment-page.tsx"), "EnvironmentPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/apps/$app/compare",
      validateSearch: parseCompareSearch,
      component: lazyPage(() => import("../registry/compare-page.tsx"), "ComparePage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/testsets",
      component: lazyPage(() => import("../testsets/test-sets-page.tsx"), "TestSetsPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/testsets/$set",
      component: lazyPage(() => import("../testsets/test-set-page.tsx"), "TestSetPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/testsets/$set/diff",
      validateSearch: parseDiffSearch,
      component: lazyPage(() => import("../testsets/test-set-diff-page.tsx"), "TestSetDiffPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/runs",
      validateSearch: parseRunsSearch,
      component: lazyPage(() => import("../runs/runs-page.tsx"), "RunsPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/runs/$run",
      validateSearch: parseRunSearch,
      component: lazyPage(() => import("../runs/run-page.tsx"), "RunPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/settings/keys",
      component: lazyPage(() => import("../registry/keys-page.tsx"), "KeysPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/settings/redaction",
      component: lazyPage(() => import("../registry/redaction-page.tsx"), "RedactionPage"),
    }),
    createRoute({
      getParentRoute: under,
      path: "/dashboard",
      beforeLoad: ({ search }) => {
        throw redirect({ to: "/", search });
      },
    }),
  ] as const;
  return createRouter({
    routeTree: root.addChildren(routes),
    parseSearch: parseSearchText,
    stringifySearch: stringifySearchText,
    scrollRestoration: true,
    scrollToTopSelectors: [topOfAnotherPage()],
    defaultPendingComponent: Arriving,
    defaultErrorComponent: ({ error, reset }) => (
      <ErrorState error={error as Error} onRetry={reset} />
    ),
    defaultNotFoundComponent: NotFound,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}

/** Reads the query of a URL as plain strings: the router's default would parse JSON and numbers. */
function parseSearchText(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function stringifySearchText(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  // Paths, times and revision names stay readable: a query may contain / : , @ unescaped.
  return text === "" ? "" : `?${text.replace(/%(?:2F|3A|2C|40)/g, decodeURIComponent)}`;
}

/**
 * The element that the router scrolls to its top, once for each page: one element holds every page, and
 * would keep the scroll position of the last. A change of the query alone (a filter) does not scroll.
 */
function topOfAnotherPage(): () => Element | null {
  let shown = window.location.pathname;
  return () => {
    const { pathname } = window.location;
    if (pathname === shown) return null;
    shown = pathname;
    return document.getElementById(CONTENT_ID);
  };
}

/** Shown while the script of a page loads. */
function Arriving() {
  return (
    <>
      <h1 className="sr-only">Loading…</h1>
      <Skeleton lines={6} />
    </>
  );
}

function NotFound() {
  return (
    <EmptyState icon={Compass} level={1} title="Page not found">
      <p>Check the address.</p>
      <Link to="/traces" className="font-medium text-accent underline">
        Go to traces
      </Link>
    </EmptyState>
  );
}

/**
 * A page whose script is loaded when it is first shown. While the script cannot be loaded the page
 * waits for {@link reloadForLostParts}; the router would reload at once, into an error page of the
 * browser where the platform is down.
 */
function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
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
