import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { FlaskConical, GitCompareArrows, ListTree } from "lucide-react";
import { applicationQuery, schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { deleteApplication, renameApplication } from "../api/registry-changes.ts";
import { buttonClass } from "../design/button.tsx";
import { CommandLine } from "../design/copy-button.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Card } from "../design/panels.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { ReadOnlyNote } from "../revisions/read-only.tsx";
import { useApplicationChanges } from "../revisions/use-application-changes.ts";
import { StartRunButton } from "../start-run/start-run-button.tsx";
import { AppBreadcrumb } from "./app-breadcrumb.tsx";
import { BuildsCard } from "./builds-card.tsx";
import { EnvironmentsSection } from "./environments-section.tsx";
import { RenameOrDeleteMenu } from "./rename-or-delete-menu.tsx";
import { ServingBadge } from "./serving-badge.tsx";
import { VariantsCard } from "./variants-card.tsx";

const route = getRouteApi("/apps/$app");

/** Polls, because the change stream does not report new builds. */
const REFRESH_MS = 5000;

/** One application: environments, variants, routes and builds. */
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
              <StartRunButton preset={{ application: app }} />
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

function AppMenu({ app }: { readonly app: string }) {
  const navigate = useNavigate();
  return (
    <RenameOrDeleteMenu
      name={app}
      rename={(client, slug) => renameApplication(client, app, slug)}
      renameNote={`Workflows and callers that use the name ${app} will get “not found”.`}
      onRenamed={(slug) => void navigate({ to: "/apps/$app", params: { app: slug } })}
      remove={(client) => deleteApplication(client, app)}
      deleteNote={`${app} will be deleted with its variants, revisions, environments and builds. This can't be undone. Traces stay.`}
      onDeleted={() => void navigate({ to: "/apps" })}
    />
  );
}

interface RoutesCardProps {
  readonly app: string;
  readonly refreshMs: number;
}

/** The routes of an application, with links to the playground. */
function RoutesCard({ app, refreshMs }: RoutesCardProps) {
  const schema = useQuery({ ...schemaQuery(usePlatform(), app), refetchInterval: refreshMs });
  return (
    <Card title="Routes">
      <Loaded query={schema}>
        {(data) =>
          data === null ? (
            <div className="flex flex-col gap-2 px-4 py-4 text-ink-soft">
              <p>No routes registered yet. Deploy a workflow:</p>
              <CommandLine command={`agate deploy app.ts --app ${app}`} />
            </div>
          ) : (
            <ul className="divide-y divide-line">
              {data.routes.map(({ route, config }) => {
                const fields = Object.keys(config).length;
                return (
                  <li key={route}>
                    <Link
                      to="/apps/$app/playground"
                      params={{ app }}
                      search={{ route }}
                      className="group flex items-center gap-3 px-4 py-2.5 hover:bg-sunken"
                    >
                      <span className="min-w-0 truncate font-mono text-[0.93rem] font-medium">
                        {route}
                      </span>
                      <span className="ml-auto shrink-0 text-ink-soft">
                        {fields === 1 ? "1 field" : `${fields} fields`}
                      </span>
                      <FlaskConical
                        size={15}
                        role="img"
                        aria-label="Open in playground"
                        className="shrink-0 text-ink-soft group-hover:text-accent"
                      />
                    </Link>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
