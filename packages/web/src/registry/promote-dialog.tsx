import { LiveChangeDialog } from "../revisions/live-change-dialog.tsx";
import { isSameRevision, liveIn, revisionText } from "../revisions/live-plan.ts";

interface PromoteDialogProps {
  readonly app: string;
  readonly from: string;
  readonly to: string;
  readonly onClose: () => void;
}

/** Lets what is live in one environment become live in another. */
export function PromoteDialog({ app, from, to, onClose }: PromoteDialogProps) {
  return (
    <LiveChangeDialog
      app={app}
      title={`Promote ${from} to ${to}`}
      action="Promote"
      onClose={onClose}
      plan={(environments) => {
        const source = liveIn(environments, from);
        if (source === null) return `Nothing is live in ${from}: there is nothing to promote.`;
        const there = liveIn(environments, to);
        if (there !== null && isSameRevision(there.variant, source.variant)) {
          return `${revisionText(source.variant)} is live in both ${from} and ${to}: there is nothing to promote.`;
        }
        return { environment: to, to: source.variant, change: { kind: "promote", from } };
      }}
    />
  );
}
