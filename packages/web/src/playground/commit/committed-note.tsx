import { CircleCheck, Rocket } from "lucide-react";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import type { RevisionName } from "../state/workspace.ts";

interface CommittedNoteProps {
  readonly revision: RevisionName;
  readonly onDeploy: () => void;
  readonly onClose: () => void;
}

/** Says that a draft has become a revision, and what comes next. */
export function CommittedNote({ revision, onDeploy, onClose }: CommittedNoteProps) {
  return (
    <Dialog
      title="Committed"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Done</Button>
          <Button look="primary" onClick={onDeploy}>
            <Rocket size={14} aria-hidden />
            Deploy…
          </Button>
        </>
      }
    >
      <p role="status" className="flex items-center gap-2">
        <CircleCheck size={18} aria-hidden className="shrink-0 text-success" />
        <span className="min-w-0 wrap-anywhere">
          <strong className="font-mono font-semibold">
            {revision.variant}@{revision.revision}
          </strong>{" "}
          is committed. Nothing runs with it until it is deployed.
        </span>
      </p>
    </Dialog>
  );
}
