import type { Application, Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Boxes, FlaskConical, Plus } from "lucide-react";
import { useState } from "react";
import { applicationsQuery, environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { createApplication } from "../api/registry-changes.ts";
import { buttonClass } from "../design/button.tsx";
import { CommandLine } from "../design/copy-button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { ChangeButton, ReadOnlyNote } from "../revisions/read-only.tsx";
import { RevisionChip } from "../revisions/revision-chip.tsx";
import { NameDialog } from "./name-dialog.tsx";
import { ServingBadge } from "./serving-badge.tsx";

/** Polls, because no change stream covers all applications. */
const REFRESH_MS = 5000;

/** All applications: their routes, and what is live where. */
export function AppsPage() {
  useTitle("Applications");
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const applications = useQuery({
    ...applicationsQuery(usePlatform()),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <PageHeader
        title="Applications"
        actions={
          <ChangeButton onClick={() => setCreating(true)}>
            <Plus size={15} aria-hidden />
            New application
          </ChangeButton>
        }
      />
      <ReadOnlyNote />
      <Loaded query={applications} lines={6}>
        {(items) =>
          items.length === 0 ? (
            <NoApplications />
          ) : (
            <ul className="mx-4 mb-6 divide-y divide-line rounded-xl border border-line bg-surface md:mx-6">
              {items.map((application) => (
                <AppRow key={application.id} application={application} refreshMs={REFRESH_MS} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isCreating && (
        <NameDialog
          title="New application"
          action="Create"
          change={createApplication}
          onDone={({ slug }) => void navigate({ to: "/apps/$app", params: { app: slug } })}
          onClose={() => setCreating(false)}
        >
          <p className="text-ink-soft">
            Starts with the environments development, staging and production.{" "}
            <code className="font-mono">agate deploy</code> creates applications as well.
          </p>
        </NameDialog>
      )}
    </>
  );
}

function NoApplications() {
  return (
    <EmptyState icon={Boxes} title="No applications yet">
      <p>An application is a workflow that you run or deploy:</p>
      <div className="flex w-full flex-col gap-2 text-left">
        <CommandLine command="agate init my-app" />
        <CommandLine command="agate dev app.ts" />
        <CommandLine command="agate deploy app.ts --app my-app" />
      </div>
    </EmptyState>
  );
}

const MOST_ROUTES = 6;

interface AppRowProps {
  readonly application: Application;
  readonly refreshMs: number;
}

function AppRow({ application, refreshMs }: AppRowProps) {
  const { slug } = application;
  const environments = useQuery({
    ...environmentsQuery(usePlatform(), slug),
    refetchInterval: refreshMs,
  });
  return (
    <li className="flex flex-col gap-2.5 px-4 py-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 text-base font-semibold">
          <Link
            to="/apps/$app"
            params={{ app: slug }}
            className="block truncate hover:text-accent hover:underline"
          >
            {slug}
          </Link>
        </h2>
        <ServingBadge application={application} />
        <div className="flex md:ml-auto items-center gap-3">
          <LastDeployment environments={environments.data ?? []} />
          <Link
            to="/apps/$app/playground"
            params={{ app: slug }}
            className={buttonClass("plain", "small")}
          >
            <FlaskConical size={14} aria-hidden />
            Playground
          </Link>
        </div>
      </div>
      <Routes routes={application.routes} />
      {environments.data !== undefined && (
        <ul aria-label={`Live in ${slug}`} className="flex flex-wrap gap-x-6 gap-y-1.5">
          {orderEnvironments(environments.data).map((environment) => (
            <li key={environment.id} className="flex min-w-0 items-center gap-2">
              <Link
                to="/apps/$app/environments/$environment"
                params={{ app: slug, environment: environment.slug }}
                className="max-w-1/2 shrink-0 truncate text-ink-soft hover:text-ink hover:underline"
              >
                {environment.slug}
              </Link>
              {environment.deployment === null ? (
                <span className="text-ink-soft italic">nothing live</span>
              ) : (
                <span className="flex min-w-0 items-center gap-1.5">
                  {environment.deployment.build !== null && (
                    <span className="shrink-0 text-ink-soft tabular-nums">
                      build {environment.deployment.build.number}
                    </span>
                  )}
                  <RevisionChip app={slug} name={environment.deployment.variant} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Routes({ routes }: { readonly routes: Application["routes"] }) {
  if (routes === null) {
    return <p className="text-ink-soft">No routes registered yet.</p>;
  }
  const hidden = routes.length - MOST_ROUTES;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 font-mono text-[0.93rem] text-ink-soft">
      {routes.slice(0, MOST_ROUTES).map((route) => (
        <span key={route} className="break-all">
          {route}
        </span>
      ))}
      {hidden > 0 && <span className="font-sans">and {hidden} more</span>}
    </p>
  );
}

function LastDeployment({ environments }: { readonly environments: readonly Environment[] }) {
  const times = environments.flatMap(({ deployment }) => deployment?.deployed_at ?? []);
  const last = times.toSorted().at(-1);
  if (last === undefined) return null;
  return (
    <span className="text-ink-soft">
      deployed <Ago time={last} />
    </span>
  );
}
