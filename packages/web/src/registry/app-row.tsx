import type { Application, Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { buttonClass } from "../design/button.tsx";
import { Ago } from "../revisions/ago.tsx";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { RevisionChip } from "../revisions/revision-chip.tsx";
import { ServingBadge } from "./serving-badge.tsx";

const MOST_ROUTES = 6;

interface AppRowProps {
  readonly application: Application;
  readonly refreshMs: number;
}

/** An application among others. */
export function AppRow({ application, refreshMs }: AppRowProps) {
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
                <span className="text-ink-soft italic">nothing</span>
              ) : (
                <span className="flex min-w-0">
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
    return <p className="text-ink-soft">No workflow has told its routes yet.</p>;
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
