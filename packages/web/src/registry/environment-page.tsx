import type { Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ListTree, Undo2 } from "lucide-react";
import { useState } from "react";
import { environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { buttonClass } from "../design/button.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Card } from "../design/panels.tsx";
import { Ago } from "../revisions/ago.tsx";
import { BuildChip } from "../revisions/build-chip.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { nextEnvironment } from "../revisions/order-environments.ts";
import { ChangeButton, ReadOnlyNote } from "../revisions/read-only.tsx";
import { RevisionChip } from "../revisions/revision-chip.tsx";
import { useApplicationChanges } from "../revisions/use-application-changes.ts";
import { AppBreadcrumb } from "./app-breadcrumb.tsx";
import { DefaultBadge } from "./default-badge.tsx";
import { RollbackDialog } from "./environment-dialogs.tsx";
import { deploymentText, EnvironmentHistory } from "./environment-history.tsx";
import { EnvironmentMenu } from "./environment-menu.tsx";
import { PlaygroundSwitch } from "./playground-switch.tsx";
import { PromoteButton } from "./promote-button.tsx";
import { useRollbackTarget } from "./rollback-target.ts";
import { ServersCard } from "./servers-card.tsx";
import { VariablesCard } from "./variables-card.tsx";

const route = getRouteApi("/apps/$app/environments/$environment");

/** One environment: its live build and revision, and its history. */
export function EnvironmentPage() {
  const { app, environment: slug } = route.useParams();
  useTitle(`${slug} · ${app}`);
  useApplicationChanges(app);
  const navigate = useNavigate();
  const environments = useQuery(environmentsQuery(usePlatform(), app));
  const environment = environments.data?.find((each) => each.slug === slug || each.id === slug);
  return (
    <>
      <PageHeader
        above={<AppBreadcrumb app={app} />}
        title={environment?.slug ?? slug}
        beside={environment?.is_default && <DefaultBadge />}
        actions={
          environment && (
            <>
              <Link
                to="/traces"
                search={{ application: app, environment: environment.slug }}
                className={buttonClass()}
              >
                <ListTree size={15} aria-hidden />
                Traces
              </Link>
              <RollbackButton app={app} environment={environment} />
              <EnvironmentMenu
                app={app}
                environment={environment}
                onRenamed={(renamed) =>
                  void navigate({
                    to: "/apps/$app/environments/$environment",
                    params: { app, environment: renamed },
                  })
                }
              />
            </>
          )
        }
      />
      <ReadOnlyNote />
      <Loaded query={environments} lines={6}>
        {(items) =>
          environment === undefined ? (
            <p className="px-4 py-10 text-center text-ink-soft">
              No environment “{slug}” in {app}.{" "}
              <Link to="/apps/$app" params={{ app }} className="font-medium text-accent underline">
                See all environments
              </Link>
            </p>
          ) : (
            <div className="flex flex-col gap-5 px-4 pb-8 md:px-6">
              <Live
                app={app}
                environment={environment}
                next={nextEnvironment(items, environment.slug)}
              />
              <ServersCard app={app} environment={environment} />
              <PlaygroundSwitch app={app} environment={environment} />
              <VariablesCard app={app} environment={environment} />
              <EnvironmentHistory app={app} environment={environment} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

interface EnvironmentProps {
  readonly app: string;
  readonly environment: Environment;
}

function RollbackButton({ app, environment }: EnvironmentProps) {
  const [isConfirming, setConfirming] = useState(false);
  const target = useRollbackTarget(app, environment.slug);
  return (
    <>
      <ChangeButton
        scope="either"
        refusal={target === undefined ? "No earlier deployment to roll back to." : null}
        onClick={() => setConfirming(true)}
      >
        <Undo2 size={15} aria-hidden />
        Roll back
      </ChangeButton>
      {isConfirming && target !== undefined && (
        <RollbackDialog app={app} target={target} onClose={() => setConfirming(false)} />
      )}
    </>
  );
}

interface LiveProps extends EnvironmentProps {
  readonly next: Environment | undefined;
}

function Live({ app, environment, next }: LiveProps) {
  const { deployment: live, slug } = environment;
  return (
    <Card title="Live">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        {live === null ? (
          <p className="text-ink-soft">Nothing is live. Calls to {slug} get “not found”.</p>
        ) : (
          <>
            <BuildChip app={app} build={live.build} />
            <RevisionChip app={app} name={live.variant} />
            <p className="text-ink-soft">
              {deploymentText(live)} by {live.deployed_by}, <Ago time={live.deployed_at} />
            </p>
            {live.message !== "" && <p className="min-w-0 break-words">“{live.message}”</p>}
            <Link
              to="/apps/$app/playground"
              params={{ app }}
              search={{ configs: `env:${slug}`, environment: slug }}
              className="text-accent underline"
            >
              Open in playground
            </Link>
          </>
        )}
        {next !== undefined && (
          <div className="ml-auto">
            <PromoteButton app={app} from={environment} to={next} />
          </div>
        )}
      </div>
    </Card>
  );
}
