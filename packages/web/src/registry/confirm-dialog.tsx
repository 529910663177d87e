import type { ReactNode } from "react";
import type { PlatformClient } from "../api/platform-client.ts";
import { Button, type ButtonLook } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { useConfirmedChange } from "../revisions/use-confirmed-change.ts";

interface ConfirmDialogProps {
  readonly title: string;
  /** The label of the button: "Delete". */
  readonly action: string;
  readonly look?: ButtonLook;
  /** The title of the error: "Not deleted". */
  readonly refusal: string;
  readonly change: (client: PlatformClient) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** Describes the change. */
  readonly children: ReactNode;
}

/** Asks for confirmation before a change. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, look = "primary", refusal, change, onDone, onClose, children } = props;
  const doing = useConfirmedChange({
    change: (client, _: undefined) => change(client),
    refusal,
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={look} disabled={doing.isPending} onClick={() => doing.mutate(undefined)}>
            {doing.isPending ? "Working…" : action}
          </Button>
        </>
      }
    >
      {children}
      {doing.error !== null && <ChangeFailure title={refusal} error={doing.error} />}
    </Dialog>
  );
}
