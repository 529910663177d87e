import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FlaskConical, GitCompareArrows, ListTree } from "lucide-react";
import { applicationQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { buttonClass } from "../design/button.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { useApplicationChanges } from "../revisions/use-application-changes.ts";
import { AppBreadcrumb } from "./app-breadcrumb.tsx";
import { AppMenu } from "./app-menu.tsx";
import { BuildsCard } from "./builds-card.tsx";
import { EnvironmentsSection } from "./environments-section.tsx";
import { ReadOnlyNote } from "./read-only-note.tsx";
import { RoutesCard } from "./routes-card.tsx";
import { ServingBadge } from "./serving-badge.tsx";
import { VariantsCard } from "./variants-card.tsx";

const route = getRouteApi("/apps/$app");

/** A deploy of code is no change of a configuration, so nothing tells of it. */
const REFRESH_MS = 5000;

/** One application at a glance: what is live where, what could be, and what serves it. */
export function AppPage() {
  const { app } = route.useParams();
  useTitle(app);
  useApplicationChanges(app);
  const application = useQuery({
    ...applicationQuery(usePlatform(), app),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <PageHeader
        above={<AppBreadcrumb />}
        title={app}
        beside={application.data && <ServingBadge application={application.data} />}
        actions={
          application.data && (
            <>
              <Link to="/traces" search={{ application: app }} className={buttonClass()}>
                <ListTree size={15} aria-hidden />
                Traces
              </Link>
              <Link to="/apps/$app/compare" params={{ app }} className={buttonClass()}>
                <GitCompareArrows size={15} aria-hidden />
                Compare
              </Link>
              <Link to="/apps/$app/playground" params={{ app }} className={buttonClass("primary")}>
                <FlaskConical size={15} aria-hidden />
                Playground
              </Link>
              <AppMenu app={app} />
            </>
          )
        }
      />
      <ReadOnlyNote />
      <Loaded query={application} lines={6}>
        {() => (
          <div className="flex flex-col gap-5 px-4 pb-8 md:px-6">
            <EnvironmentsSection app={app} />
            <div className="grid gap-5 xl:grid-cols-[3fr_2fr]">
              <VariantsCard app={app} />
              <RoutesCard app={app} refreshMs={REFRESH_MS} />
            </div>
            <BuildsCard app={app} refreshMs={REFRESH_MS} />
          </div>
        )}
      </Loaded>
    </>
  );
}
