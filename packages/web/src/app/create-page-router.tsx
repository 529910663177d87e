import {
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import type { Connection } from "../api/connection.ts";
import { parseDashboardSearch } from "../dashboard/dashboard-search.ts";
import { ErrorState } from "../design/empty-state.tsx";
import { parsePlaygroundSearch } from "../playground/playground-search.ts";
import { parseCompareSearch } from "../registry/compare-search.ts";
import { parseTraceSearch } from "../traces/trace-search.ts";
import { parseTracesSearch } from "../traces/traces-search.ts";
import { Arriving } from "./arriving.tsx";
import { lazyPage } from "./lazy-page.ts";
import { NotFound } from "./not-found.tsx";
import { RootLayout } from "./root-layout.tsx";
import { parseSearchText, stringifySearchText } from "./search-text.ts";
import { topOfAnotherPage } from "./top-of-another-page.ts";

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
