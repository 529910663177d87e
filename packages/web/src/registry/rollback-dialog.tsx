import type { Deployment } from "@agate/protocol";
import { formatTime } from "../format/format-time.ts";
import { LiveChangeDialog } from "../revisions/live-change-dialog.tsx";
import { isSameRevision, liveIn, revisionText } from "../revisions/live-plan.ts";
import { formatDuration } from "./format-duration.ts";

interface RollbackDialogProps {
  readonly app: string;
  /** The deployment that is gone back to. */
  readonly target: Deployment;
  readonly onClose: () => void;
}

/** Lets an earlier deployment's revision become live again. */
export function RollbackDialog({ app, target, onClose }: RollbackDialogProps) {
  const { environment, variant } = target;
  return (
    <LiveChangeDialog
      app={app}
      title={`Roll ${environment} back`}
      action="Roll back"
      onClose={onClose}
      plan={(environments) => {
        const live = liveIn(environments, environment);
        if (live !== null && isSameRevision(live.variant, variant)) {
          return `${revisionText(variant)} is live in ${environment} already: there is nothing to roll back.`;
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
          . The history keeps every deployment; this adds one.
        </p>
      )}
    </LiveChangeDialog>
  );
}
