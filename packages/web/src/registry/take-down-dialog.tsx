import type { Deployment } from "@agate/protocol";
import { takeDown } from "../api/registry-changes.ts";
import { useToaster } from "../design/toaster.tsx";
import { revisionText } from "../revisions/live-plan.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface TakeDownDialogProps {
  readonly app: string;
  readonly live: Deployment;
  readonly onClose: () => void;
}

/** Takes down what is live in an environment, and puts nothing into its place. */
export function TakeDownDialog({ app, live, onClose }: TakeDownDialogProps) {
  const toaster = useToaster();
  const { environment } = live;
  return (
    <ConfirmDialog
      title={`Take down ${environment}`}
      action="Take down"
      look="danger"
      refusal="Nothing was changed"
      change={(client) => takeDown(client, app, environment)}
      onDone={() => toaster.done(`Nothing is live in ${environment} any more.`)}
      onClose={onClose}
    >
      <p className="font-mono text-base font-medium break-all">
        {environment}: {revisionText(live.variant)} → nothing
      </p>
      <p className="text-ink-soft">
        Calls to {environment} are answered with “not found” until something is deployed there
        again. The history stays, and rolling back returns to {revisionText(live.variant)}.
      </p>
    </ConfirmDialog>
  );
}
