import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { Boxes, Route as RouteIcon } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import {
  applicationsQuery,
  environmentsQuery,
  schemaQuery,
  variantsQuery,
} from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { useApplicationChanges } from "../revisions/use-application-changes.ts";
import { NoSchema } from "./no-schema.tsx";
import { RouteList } from "./route-list.tsx";
import { RouteOfSpan } from "./route-of-span.tsx";
import { RoutePlayground } from "./route-playground.tsx";
import { lastPlace } from "./state/workspace-storage.ts";

const page = getRouteApi("/apps/$app/playground");

/** The playground of an application: its routes, and the chosen one. */
export function PlaygroundPage() {
  const { app } = page.useParams();
  const { route } = page.useSearch();
  const client = usePlatform();
  const applications = useQuery(applicationsQuery(client));
  useTitle(`${route ?? app} · Playground`);
  useApplicationChanges(app);
  return (
    <div className="flex min-h-0 flex-1 max-lg:flex-col max-lg:[flex:1_0_auto]">
      <RouteList applications={applications.data ?? []} app={app} route={route} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ChosenRoute key={JSON.stringify([client.project, app])} app={app} path={route} />
      </div>
    </div>
  );
}

interface ChosenRouteProps {
  readonly app: string;
  readonly path: string | undefined;
}

function ChosenRoute({ app, path }: ChosenRouteProps) {
  const client = usePlatform();
  const search = page.useSearch();
  // The code may have been saved while one was in the editor.
  const schema = useQuery({ ...schemaQuery(client, app), refetchOnWindowFocus: "always" });
  const variants = useQuery(variantsQuery(client, app));
  const environments = useQuery(environmentsQuery(client, app));
  const failed = [schema, variants, environments].find(
    ({ data, error }) => data === undefined && error !== null,
  );
  if (failed?.error instanceof ApiError && failed.error.has("application_not_found")) {
    return <NoApplication app={app} />;
  }
  if (failed?.error) {
    return (
      <WithoutRoute app={app}>
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      </WithoutRoute>
    );
  }
  if (!variants.data || !environments.data || schema.data === undefined) {
    return <Skeleton lines={6} />;
  }
  if (schema.data === null || schema.data.routes.length === 0) {
    return (
      <WithoutRoute app={app}>
        <NoSchema app={app} />
      </WithoutRoute>
    );
  }
  const { routes } = schema.data;
  const paths = routes.map(({ route }) => route);
  if (path === undefined && search.span !== undefined) {
    return (
      <WithoutRoute app={app}>
        <RouteOfSpan app={app} spanId={search.span} />
      </WithoutRoute>
    );
  }
  if (path === undefined) {
    const last = lastPlace(client.project);
    const usual = paths.find((each) => last?.app === app && each === last.route) ?? paths[0] ?? "/";
    return (
      <Navigate from="/apps/$app/playground" to="." search={{ ...search, route: usual }} replace />
    );
  }
  const route = routes.find((known) => known.route === path);
  if (route === undefined) {
    return (
      <WithoutRoute app={app}>
        <EmptyState icon={RouteIcon} title={`${app} has no route ${path}`}>
          <p>It has {paths.join(", ")}. Was the code changed since the link was made?</p>
        </EmptyState>
      </WithoutRoute>
    );
  }
  return (
    <RoutePlayground
      key={path}
      app={app}
      schema={schema.data}
      route={route}
      known={{ variants: variants.data, environments: environments.data }}
    />
  );
}

/** Where no route can be shown, the page is the application's. */
function WithoutRoute({ app, children }: { readonly app: string; readonly children: ReactNode }) {
  return (
    <>
      <PageHeader title={app} />
      {children}
    </>
  );
}

function NoApplication({ app }: { readonly app: string }) {
  return (
    <EmptyState icon={Boxes} level={1} title={`There is no application ${app}`}>
      <p>It was renamed or deleted, or belongs to another project.</p>
      <Link to="/apps" className="text-accent underline">
        See all applications
      </Link>
    </EmptyState>
  );
}
