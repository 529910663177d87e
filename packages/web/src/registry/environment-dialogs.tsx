import type { Deployment } from "@agate/protocol";
import { parseRevisionRef } from "@agate/protocol";
import { formatDuration } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { takeDown } from "../api/registry-changes.ts";
import { useToaster } from "../design/toaster.tsx";
import { formatTime } from "../format/format-time.ts";
import { LiveChangeDialog } from "../revisions/live-change-dialog.tsx";
import { isSameRevision, liveIn, revisionText } from "../revisions/live-plan.ts";
import { RevisionPicker } from "../revisions/revision-picker.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface RollbackDialogProps {
  readonly app: string;
  /** The deployment to return to. */
  readonly target: Deployment;
  readonly onClose: () => void;
}

/** Makes the revision of an earlier deployment live again. */
export function RollbackDialog({ app, target, onClose }: RollbackDialogProps) {
  const { environment, variant } = target;
  return (
    <LiveChangeDialog
      app={app}
      title={`Roll back ${environment}`}
      action="Roll back"
      onClose={onClose}
      plan={(environments) => {
        const live = liveIn(environments, environment);
        if (live !== null && isSameRevision(live.variant, variant)) {
          return `${revisionText(variant)} is already live in ${environment}.`;
        }
        return {
          environment,
          to: variant,
          change: { kind: "rollback", deployment: target.id },
        };
      }}
    >
      {() => (
        <p className="text-ink-soft">
          Returns to {revisionText(variant)}, deployed by {target.deployed_by}
          {target.message !== "" && <> (“{target.message}”)</>}. It was live from{" "}
          {formatTime(target.deployed_at)}
          {target.ended_at !== null && (
            <>
              {" "}
              to {formatTime(target.ended_at)}, for{" "}
              {formatDuration(Date.parse(target.ended_at) - Date.parse(target.deployed_at))}
            </>
          )}
          . The roll-back is added to the history.
        </p>
      )}
    </LiveChangeDialog>
  );
}

interface PromoteDialogProps {
  readonly app: string;
  readonly from: string;
  readonly to: string;
  readonly onClose: () => void;
}

/** Deploys the live revision of one environment to another. */
export function PromoteDialog({ app, from, to, onClose }: PromoteDialogProps) {
  return (
    <LiveChangeDialog
      app={app}
      title={`Promote ${from} to ${to}`}
      action="Promote"
      onClose={onClose}
      plan={(environments) => {
        const source = liveIn(environments, from);
        if (source === null) return `Nothing is live in ${from}, so there is nothing to promote.`;
        const there = liveIn(environments, to);
        if (there !== null && isSameRevision(there.variant, source.variant)) {
          return `${revisionText(source.variant)} is already live in ${to}.`;
        }
        return { environment: to, to: source.variant, change: { kind: "promote", from } };
      }}
    />
  );
}

interface DeployHereDialogProps {
  readonly app: string;
  readonly environment: string;
  readonly onClose: () => void;
}

/** Deploys a revision that the user chooses to an environment. */
export function DeployHereDialog({ app, environment, onClose }: DeployHereDialogProps) {
  const variants = useQuery(variantsQuery(usePlatform(), app)).data ?? [];
  const [chosen, setChosen] = useState<string>();
  const ref = chosen === undefined ? undefined : parseRevisionRef(chosen);
  return (
    <LiveChangeDialog
      app={app}
      title={`Deploy to ${environment}`}
      action="Deploy"
      onClose={onClose}
      plan={(environments) => {
        if (ref?.kind !== "variant") return "Choose a revision.";
        const latest = variants.find(({ slug }) => slug === ref.variant)?.latest_revision ?? 0;
        const to = { slug: ref.variant, revision: ref.revision ?? latest };
        const live = liveIn(environments, environment);
        if (live !== null && isSameRevision(live.variant, to)) {
          return `${revisionText(to)} is already live in ${environment}. Choose another.`;
        }
        const change = { kind: "deploy", variant: to.slug, revision: to.revision } as const;
        return { environment, to, change };
      }}
    >
      {() => (
        <RevisionPicker label="Revision" variants={variants} value={chosen} onChange={setChosen} />
      )}
    </LiveChangeDialog>
  );
}

interface TakeDownDialogProps {
  readonly app: string;
  readonly live: Deployment;
  readonly onClose: () => void;
}

/** Removes the live revision from an environment without a replacement. */
export function TakeDownDialog({ app, live, onClose }: TakeDownDialogProps) {
  const toaster = useToaster();
  const { environment } = live;
  return (
    <ConfirmDialog
      title={`Take down ${environment}`}
      action="Take down"
      look="danger"
      refusal="No changes made"
      change={(client) => takeDown(client, app, environment)}
      onDone={() => toaster.done(`Nothing is live in ${environment} now.`)}
      onClose={onClose}
    >
      <p className="font-mono text-base font-medium break-all">
        {environment}: {revisionText(live.variant)} → nothing
      </p>
      <p className="text-ink-soft">
        Calls to {environment} will get “not found” until you deploy again. The history stays;
        rolling back restores {revisionText(live.variant)}.
      </p>
    </ConfirmDialog>
  );
}
