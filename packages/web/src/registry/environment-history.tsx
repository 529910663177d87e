import type { Environment } from "@agate/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { deploymentsQuery, variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Card } from "../design/panels.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { DeploymentRow } from "./deployment-row.tsx";
import { MoreButton } from "./more-button.tsx";

interface EnvironmentHistoryProps {
  readonly app: string;
  readonly environment: Environment;
}

/** Everything that was ever live in an environment, newest first. */
export function EnvironmentHistory({ app, environment }: EnvironmentHistoryProps) {
  const client = usePlatform();
  const history = useInfiniteQuery(deploymentsQuery(client, app, environment.slug));
  const variants = useQuery(variantsQuery(client, app)).data;
  return (
    <Card title="History">
      <Loaded query={history}>
        {({ pages }) => {
          const deployments = pages.flatMap(({ items }) => items);
          if (deployments.length === 0) {
            return (
              <p className="px-4 py-6 text-center text-ink-soft">Nothing was ever deployed here.</p>
            );
          }
          return (
            <>
              <ol className="divide-y divide-line">
                {deployments.map((deployment) => (
                  <DeploymentRow
                    key={deployment.id}
                    app={app}
                    deployment={deployment}
                    live={environment.deployment}
                    target={deployments.find(({ id }) => id === deployment.rolled_back_to)}
                    isVariantGone={
                      variants !== undefined &&
                      !variants.some(({ id }) => id === deployment.variant.id)
                    }
                  />
                ))}
              </ol>
              <MoreButton query={history}>Earlier deployments</MoreButton>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
