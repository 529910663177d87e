import type { Application } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { CommandLine } from "../design/copy-button.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Card } from "../design/panels.tsx";
import { lastPlace } from "./state/workspace-storage.ts";

/** Opens the application that was used last, or lists all of them. */
export function PlaygroundStartPage() {
  useTitle("Playground");
  const client = usePlatform();
  const applications = useQuery(applicationsQuery(client));
  if (applications.data === undefined) {
    if (applications.error === null) return <Skeleton lines={6} />;
    return <ErrorState error={applications.error} onRetry={() => void applications.refetch()} />;
  }
  const [first, ...others] = applications.data;
  if (first === undefined) return <NoApplication />;
  const last = lastPlace(client.project);
  const known = applications.data.find(({ slug }) => slug === last?.app);
  const chosen = known ?? (others.length === 0 ? first : undefined);
  if (chosen !== undefined) {
    return <Navigate to="/apps/$app/playground" params={{ app: chosen.slug }} replace />;
  }
  return (
    <>
      <PageHeader title="Playground" />
      <div className="grid gap-3 px-4 pb-6 sm:grid-cols-2 md:px-6 xl:grid-cols-3">
        {applications.data.map((application) => (
          <ApplicationCard key={application.id} application={application} />
        ))}
      </div>
    </>
  );
}

function ApplicationCard({ application: { slug, routes } }: { readonly application: Application }) {
  return (
    <Card title={slug}>
      {routes === null || routes.length === 0 ? (
        <p className="px-4 py-3 text-ink-soft">No routes registered yet.</p>
      ) : (
        <ul className="p-2">
          {routes.map((route) => (
            <li key={route}>
              <Link
                to="/apps/$app/playground"
                params={{ app: slug }}
                search={{ route }}
                className="block truncate rounded-md px-2 py-1.5 font-mono hover:bg-sunken"
              >
                {route}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function NoApplication() {
  return (
    <>
      <PageHeader title="Playground" />
      <EmptyState icon={FlaskConical} title="No applications yet">
        <p>
          The playground runs the routes of your workflows with any configuration. Run a workflow
          locally or deploy one:
        </p>
        <CommandLine command="agate dev app.ts" />
        <CommandLine command="agate deploy app.ts" />
      </EmptyState>
    </>
  );
}
