import type { Deployment, Environment } from "@agate/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { deploymentsQuery, environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { createEnvironment } from "../api/registry-changes.ts";
import { useToaster } from "../design/toaster.tsx";
import { Ago } from "../revisions/ago.tsx";
import { BuildChip } from "../revisions/build-chip.tsx";
import { pairText } from "../revisions/live-plan.ts";
import { Loaded } from "../revisions/loaded.tsx";
import { nextEnvironment, orderEnvironments } from "../revisions/order-environments.ts";
import { ChangeButton } from "../revisions/read-only.tsx";
import { RevisionChip } from "../revisions/revision-chip.tsx";
import { DefaultBadge } from "./default-badge.tsx";
import { deploymentText } from "./environment-history.tsx";
import { EnvironmentMenu } from "./environment-menu.tsx";
import { NameDialog } from "./name-dialog.tsx";
import { PromoteButton } from "./promote-button.tsx";
import { ServersBadge } from "./servers-card.tsx";

/** The environments, in the order in which revisions are promoted. */
export function EnvironmentsSection({ app }: { readonly app: string }) {
  const environments = useQuery(environmentsQuery(usePlatform(), app));
  const toaster = useToaster();
  const [isCreating, setCreating] = useState(false);
  return (
    <section aria-labelledby="environments" className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <h2 id="environments" className="font-semibold">
          Environments
        </h2>
        <ChangeButton look="quiet" size="small" onClick={() => setCreating(true)}>
          <Plus size={14} aria-hidden />
          New environment
        </ChangeButton>
      </div>
      <Loaded query={environments}>
        {(items) => (
          <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
            {orderEnvironments(items).map((environment) => (
              <EnvironmentCard
                key={environment.id}
                app={app}
                environment={environment}
                next={nextEnvironment(items, environment.slug)}
              />
            ))}
          </div>
        )}
      </Loaded>
      {isCreating && (
        <NameDialog
          title="New environment"
          action="Create"
          change={(client, slug) => createEnvironment(client, app, slug)}
          onDone={({ slug }) => toaster.done(`Created environment ${slug}.`)}
          onClose={() => setCreating(false)}
        >
          <p className="text-ink-soft">
            Nothing is live in a new environment. Deploy code to it, or promote another environment.
          </p>
        </NameDialog>
      )}
    </section>
  );
}

/** Earlier deployments on the card; the environment's page has all. */
const SHOWN = 3;

interface EnvironmentCardProps {
  readonly app: string;
  readonly environment: Environment;
  /** The next stage. */
  readonly next: Environment | undefined;
}

/** An environment: its live build and revision, earlier ones, and promotion to the next stage. */
function EnvironmentCard({ app, environment, next }: EnvironmentCardProps) {
  const { slug, deployment: live } = environment;
  const history = useInfiniteQuery(deploymentsQuery(usePlatform(), app, slug));
  const earlier = (history.data?.pages ?? [])
    .flatMap(({ items }) => items)
    .filter(({ id }) => id !== live?.id)
    .slice(0, SHOWN);
  return (
    <article
      aria-label={slug}
      className="flex min-w-0 flex-col gap-3 rounded-xl border border-line bg-surface p-4"
    >
      <header className="-mt-1 -mr-1 flex items-center justify-between gap-2">
        <div className="flex min-w-0 items-center gap-2">
          <h3 className="min-w-0 font-semibold">
            <Link
              to="/apps/$app/environments/$environment"
              params={{ app, environment: slug }}
              className="block truncate hover:text-accent hover:underline"
            >
              {slug}
            </Link>
          </h3>
          {environment.is_default && <DefaultBadge />}
        </div>
        <EnvironmentMenu app={app} environment={environment} />
      </header>
      {live === null ? (
        <p className="text-ink-soft italic">Nothing live</p>
      ) : (
        <div className="flex flex-col gap-1">
          <div className="flex flex-wrap items-center gap-1.5">
            <BuildChip app={app} build={live.build} />
            <RevisionChip app={app} name={live.variant} />
            <ServersBadge app={app} environment={environment} />
          </div>
          <p className="text-ink-soft">
            {deploymentText(live)} by {live.deployed_by}, <Ago time={live.deployed_at} />
          </p>
          {live.message !== "" && <p className="line-clamp-2 break-words">“{live.message}”</p>}
        </div>
      )}
      {earlier.length > 0 && <Earlier app={app} slug={slug} deployments={earlier} />}
      {next !== undefined && (
        <div className="mt-auto">
          <PromoteButton app={app} from={environment} to={next} />
        </div>
      )}
    </article>
  );
}

interface EarlierProps {
  readonly app: string;
  readonly slug: string;
  readonly deployments: readonly Deployment[];
}

function Earlier({ app, slug, deployments }: EarlierProps) {
  return (
    <div className="border-t border-line pt-2">
      <div className="flex justify-between gap-2 text-xs font-medium text-ink-soft">
        <h4>Earlier</h4>
        <Link
          to="/apps/$app/environments/$environment"
          params={{ app, environment: slug }}
          aria-label={`Full history of ${slug}`}
          className="underline hover:text-ink"
        >
          Full history
        </Link>
      </div>
      <ol className="mt-1 flex flex-col gap-0.5">
        {deployments.map(({ id, build, variant, deployed_at, deployed_by }) => (
          <li key={id} className="flex items-baseline justify-between gap-3">
            <span className="min-w-0 truncate font-mono text-[0.93rem]">
              {pairText({ build, variant })}
            </span>
            <span className="shrink-0 text-ink-soft">
              {deployed_by}, <Ago time={deployed_at} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
