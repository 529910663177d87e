import type { Deployment, Environment } from "@agate/protocol";
import { formatDuration } from "@agate/protocol/format";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { deploymentsQuery, variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Badge } from "../design/badge.tsx";
import { useNow } from "../design/browser-state.ts";
import { Card } from "../design/panels.tsx";
import { formatTime } from "../format/format-time.ts";
import { Ago } from "../revisions/ago.tsx";
import { BuildChip } from "../revisions/build-chip.tsx";
import { RevisionDiff } from "../revisions/config-diff-view.tsx";
import {
  isSamePair,
  isSameRevision,
  movedPair,
  pairText,
  revisionText,
  revisionTextById,
} from "../revisions/live-plan.ts";
import { Loaded } from "../revisions/loaded.tsx";
import { ChangeButton } from "../revisions/read-only.tsx";
import { RevisionChip } from "../revisions/revision-chip.tsx";
import { Disclosure } from "./disclosure.tsx";
import { RollbackDialog } from "./environment-dialogs.tsx";
import { MoreButton } from "./more-button.tsx";

interface EnvironmentHistoryProps {
  readonly app: string;
  readonly environment: Environment;
}

/** All deployments to an environment, newest first. */
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
            return <p className="px-4 py-6 text-center text-ink-soft">No deployments yet</p>;
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

interface DeploymentRowProps {
  readonly app: string;
  readonly deployment: Deployment;
  /** The current deployment of the environment. */
  readonly live: Deployment | null;
  /** The deployment that a roll-back returned to, if it is loaded. */
  readonly target: Deployment | undefined;
  readonly isVariantGone: boolean;
}

/** A deployment in the history, with a button to return to it. */
function DeploymentRow(props: DeploymentRowProps) {
  const { app, deployment, live, target, isVariantGone } = props;
  const { variant, message } = deployment;
  const isLive = deployment.ended_at === null;
  const name = revisionText(variant);
  const isSame = live !== null && isSamePair(movedPair(deployment, live, "both"), live);
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <BuildChip app={app} build={deployment.build} />
        {isVariantGone ? (
          <span className="font-mono text-[0.93rem] font-medium">{name}</span>
        ) : (
          <RevisionChip app={app} name={variant} />
        )}
        {isLive && <Badge tone="success">live</Badge>}
        {isVariantGone && <Badge>variant deleted</Badge>}
        <span className="text-ink-soft">
          {deploymentText(deployment)}
          {target !== undefined && ` to the deployment of ${formatTime(target.deployed_at)}`} by{" "}
          {deployment.deployed_by}, <Ago time={deployment.deployed_at} />
        </span>
        <span className="flex md:ml-auto items-center gap-3">
          <span className="text-ink-soft">
            <LiveTime deployment={deployment} />
          </span>
          {!isLive && !isSame && (
            <RollbackButton app={app} deployment={deployment} isVariantGone={isVariantGone} />
          )}
        </span>
      </div>
      {message !== "" && <p className="break-words">“{message}”</p>}
      {!isLive && live !== null && !isVariantGone && !isSameRevision(live.variant, variant) && (
        <Disclosure label={`Compare with live ${revisionText(live.variant)}`}>
          <RevisionDiff
            app={app}
            from={revisionTextById(live.variant)}
            to={revisionTextById(variant)}
          />
        </Disclosure>
      )}
    </li>
  );
}

function LiveTime({ deployment }: { readonly deployment: Deployment }) {
  const now = useNow();
  const { deployed_at: begin, ended_at: end } = deployment;
  const length = (end === null ? now : Date.parse(end)) - Date.parse(begin);
  return (
    <span title={end === null ? undefined : `until ${formatTime(end)}`}>
      live for {length < 60_000 ? "less than a minute" : formatDuration(length)}
    </span>
  );
}

interface RollbackButtonProps {
  readonly app: string;
  readonly deployment: Deployment;
  readonly isVariantGone: boolean;
}

function RollbackButton({ app, deployment, isVariantGone }: RollbackButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <ChangeButton
        size="small"
        scope="either"
        refusal={isVariantGone ? "Its variant was deleted." : null}
        aria-label={`Roll back to this: ${pairText(deployment)} of ${formatTime(deployment.deployed_at)}`}
        onClick={() => setConfirming(true)}
      >
        <Undo2 size={14} aria-hidden />
        Roll back to this
      </ChangeButton>
      {isConfirming && (
        <RollbackDialog app={app} target={deployment} onClose={() => setConfirming(false)} />
      )}
    </>
  );
}

/** @example "Promoted from staging" */
export function deploymentText({ kind, promoted_from }: Deployment): string {
  switch (kind) {
    case "deploy":
      return "Deployed";
    case "promotion":
      return promoted_from === null ? "Promoted" : `Promoted from ${promoted_from}`;
    case "rollback":
      return "Rolled back";
  }
}
