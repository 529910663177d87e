import type { Deployment } from "@agate/protocol";
import { parseRevisionRef } from "@agate/protocol";
import { formatDuration } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { variantsQuery } from "../api/applications.ts";
import type { MovedParts } from "../api/change-live.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { takeDown } from "../api/registry-changes.ts";
import { useToaster } from "../design/toaster.tsx";
import { formatTime } from "../format/format-time.ts";
import { LiveChangeDialog } from "../revisions/live-change-dialog.tsx";
import {
  isSamePair,
  isSameRevision,
  liveIn,
  movedPair,
  pairText,
  revisionText,
} from "../revisions/live-plan.ts";
import { PartsChoice } from "../revisions/parts-choice.tsx";
import { RevisionPicker } from "../revisions/revision-picker.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { MissingVariables } from "./missing-variables.tsx";

interface RollbackDialogProps {
  readonly app: string;
  /** The deployment to return to. */
  readonly target: Deployment;
  readonly onClose: () => void;
}

/** Makes the build and the revision of an earlier deployment live again, or one of them. */
export function RollbackDialog({ app, target, onClose }: RollbackDialogProps) {
  const { environment } = target;
  const [chosen, setChosen] = useState<MovedParts>("both");
  return (
    <LiveChangeDialog
      app={app}
      title={`Roll back ${environment}`}
      action="Roll back"
      onClose={onClose}
      plan={(environments) => {
        const live = liveIn(environments, environment);
        // There is nothing that one part of it could be live with.
        const parts = live === null ? "both" : chosen;
        const to = movedPair(target, live, parts);
        if (live !== null && isSamePair(live, to)) {
          return `${pairText(to)} is already live in ${environment}.`;
        }
        return { environment, to, change: { kind: "rollback", deployment: target.id, parts } };
      }}
    >
      {(now) => (
        <>
          <p className="text-ink-soft">
            Returns to {pairText(target)}, deployed by {target.deployed_by}
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
          {target.build === null ? (
            <p className="text-ink-soft">
              It is from before deployments had builds: its configuration comes back, the code
              stays.
            </p>
          ) : (
            liveIn(now, environment) !== null && <PartsChoice parts={chosen} onChange={setChosen} />
          )}
        </>
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

/** Makes what is live in one environment live in another: code, configuration, or both. */
export function PromoteDialog({ app, from, to, onClose }: PromoteDialogProps) {
  const [chosen, setChosen] = useState<MovedParts>("both");
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
        // There is nothing that one part of it could be live with.
        const parts = there === null ? "both" : chosen;
        const pair = movedPair(source, there, parts);
        if (there !== null && isSamePair(there, pair)) {
          return `${pairText(pair)} is already live in ${to}.`;
        }
        const change = { kind: "promote", from, expect: source.id, parts } as const;
        return { environment: to, to: pair, change };
      }}
    >
      {(now) => {
        const [source, target] = [from, to].map((slug) => now.find((each) => each.slug === slug));
        return (
          <>
            {liveIn(now, to) !== null && <PartsChoice parts={chosen} onChange={setChosen} />}
            {source && target && <MissingVariables app={app} from={source} to={target} />}
          </>
        );
      }}
    </LiveChangeDialog>
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
        const variant = { slug: ref.variant, revision: ref.revision ?? latest };
        const live = liveIn(environments, environment);
        if (live !== null && isSameRevision(live.variant, variant)) {
          return `${revisionText(variant)} is already live in ${environment}. Choose another.`;
        }
        const { slug, revision } = variant;
        const change = { kind: "deploy", variant: slug, revision } as const;
        return { environment, to: { build: live?.build ?? null, variant }, change };
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

/** Ends what is live in an environment, code and configuration, without a replacement. */
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
        {environment}: {pairText(live)} → nothing
      </p>
      <p className="text-ink-soft">
        {live.build?.kind === "hosted" && "The build finishes its running calls and stops. "}
        Calls to {environment} will get “not found” until you deploy again. The history stays;
        rolling back restores {pairText(live)}.
      </p>
    </ConfirmDialog>
  );
}
