import type { ApplicationSchema, RouteSchema } from "@agate/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { Boxes, Route as RouteIcon, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import {
  applicationsQuery,
  environmentsQuery,
  schemaQuery,
  variantsQuery,
} from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { spanQuery } from "../api/trace.ts";
import { CommandLine } from "../design/copy-button.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { useApplicationChanges } from "../revisions/use-application-changes.ts";
import { routeCallOf } from "../trace-view/route-call.ts";
import { usualEnvironment } from "./called-environment.tsx";
import { RouteList } from "./route-list.tsx";
import type { KnownConfigs } from "./state/column-base.ts";
import { useWorkspace } from "./state/use-workspace.ts";
import { lastPlace } from "./state/workspace-storage.ts";
import { Workbench } from "./workbench.tsx";

const page = getRouteApi("/apps/$app/playground");

/** The playground of an application: its routes and the selected one. */
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
  // The workflow may have been reloaded while the user was in the editor.
  const environment = search.environment ?? null;
  const environments = useQuery(environmentsQuery(client, app));
  const shown = environment ?? usualEnvironment(environments.data ?? []);
  const schema = useQuery({
    ...schemaQuery(client, app, shown),
    enabled: !environments.isLoading,
    refetchOnWindowFocus: "always",
    // Choosing another environment keeps the outputs on the screen.
    placeholderData: keepPreviousData,
  });
  const variants = useQuery(variantsQuery(client, app));
  const failed = [schema, variants, environments].find(
    ({ data, error }) => data === undefined && error !== null,
  );
  if (failed?.error instanceof ApiError && failed.error.has("application_not_found")) {
    return <NoApplication app={app} />;
  }
  if (failed?.error) {
    return (
      <ApplicationFrame app={app}>
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      </ApplicationFrame>
    );
  }
  if (!variants.data || !environments.data || schema.data === undefined) {
    return <Skeleton lines={6} />;
  }
  if (schema.data === null || schema.data.routes.length === 0) {
    return (
      <ApplicationFrame app={app}>
        {environment === null ? (
          <NoSchema app={app} />
        ) : (
          <NoBuild app={app} environment={environment} />
        )}
      </ApplicationFrame>
    );
  }
  const { routes } = schema.data;
  const paths = routes.map(({ route }) => route);
  if (path === undefined && search.span !== undefined) {
    return (
      <ApplicationFrame app={app}>
        <RouteOfSpan app={app} spanId={search.span} />
      </ApplicationFrame>
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
      <ApplicationFrame app={app}>
        <EmptyState icon={RouteIcon} title={`${app} has no route ${path}`}>
          <p>Available routes: {paths.join(", ")}</p>
          {environment !== null && <OtherEnvironment environment={environment} />}
        </EmptyState>
      </ApplicationFrame>
    );
  }
  return (
    <RoutePlayground
      key={path}
      app={app}
      environment={environment}
      shown={shown}
      schema={schema.data}
      route={route}
      known={{ variants: variants.data, environments: environments.data }}
    />
  );
}

/** The heading of a page without a route. */
function ApplicationFrame({
  app,
  children,
}: {
  readonly app: string;
  readonly children: ReactNode;
}) {
  return (
    <>
      <PageHeader title={app} />
      {children}
    </>
  );
}

function NoApplication({ app }: { readonly app: string }) {
  return (
    <EmptyState icon={Boxes} level={1} title={`No application “${app}”`}>
      <p>It was renamed or deleted, or it belongs to another project.</p>
      <Link to="/apps" className="text-accent underline">
        See all applications
      </Link>
    </EmptyState>
  );
}

/** No workflow has registered the application's routes. */
function NoSchema({ app }: { readonly app: string }) {
  return (
    <EmptyState icon={Unplug} title={`${app} has no routes yet`}>
      <p>Run or deploy its workflow to register them:</p>
      <CommandLine command={`agate dev app.ts --app ${app}`} />
      <CommandLine command={`agate deploy app.ts --app ${app}`} />
    </EmptyState>
  );
}

interface NoBuildProps {
  readonly app: string;
  readonly environment: string;
}

/** The address names an environment without code. */
function NoBuild({ app, environment }: NoBuildProps) {
  return (
    <EmptyState icon={Unplug} title={`No build is live in ${environment}`}>
      <p>Deploy the workflow to it:</p>
      <CommandLine command={`agate deploy app.ts --app ${app} --environment ${environment}`} />
      <OtherEnvironment environment={environment} />
    </EmptyState>
  );
}

function OtherEnvironment({ environment }: { readonly environment: string }) {
  return (
    <Link
      from="/apps/$app/playground"
      to="."
      search={({ environment: _, ...others }) => others}
      className="text-accent underline"
    >
      Call another environment than {environment}
    </Link>
  );
}

interface RouteOfSpanProps {
  readonly app: string;
  readonly spanId: string;
}

/** Redirects from a recorded call to its route. */
function RouteOfSpan({ app, spanId }: RouteOfSpanProps) {
  const span = useQuery(spanQuery(usePlatform(), spanId));
  const { error } = span;
  if (error instanceof ApiError && error.status === 404) {
    return <NotARouteCall app={app} title={error.message} />;
  }
  if (span.data === undefined) {
    if (error === null) return <Skeleton lines={6} />;
    return <ErrorState error={error} onRetry={() => void span.refetch()} />;
  }
  const call = routeCallOf(span.data);
  if (call === null) return <NotARouteCall app={app} title="This span is not a route call" />;
  return (
    <Navigate
      to="/apps/$app/playground"
      params={{ app: call.app }}
      search={{ route: call.route, span: spanId }}
      replace
    />
  );
}

function NotARouteCall({ app, title }: { readonly app: string; readonly title: string }) {
  return (
    <EmptyState icon={RouteIcon} title={title}>
      <p>Only recorded route calls can be opened here.</p>
      <Link to="/apps/$app/playground" params={{ app }} className="text-accent underline">
        Open the playground
      </Link>
    </EmptyState>
  );
}

interface RoutePlaygroundProps {
  readonly app: string;
  /** Whose build is called; null leaves it to the platform. */
  readonly environment: string | null;
  /** Whose fields the form has; null: those of the newest build. */
  readonly shown: string | null;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly known: KnownConfigs;
}

/** The playground of one route. Needs the route as its key. */
function RoutePlayground(props: RoutePlaygroundProps) {
  const open = useWorkspace(props.app, props.route, props.known);
  if (open === undefined) return <Skeleton lines={6} />;
  return <Workbench {...props} open={open} />;
}
