import { useMutation } from "@tanstack/react-query";
import { usePlatform } from "../api/platform-context.tsx";
import { deleteTrace } from "../api/traces.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { useToaster } from "../design/toaster.tsx";
import { formatTime } from "../format/format-time.ts";
import { shownName } from "../spans/shown-name.ts";

interface DeleteTraceDialogProps {
  readonly trace: {
    readonly traceId: string;
    readonly name: string;
    readonly startedAt: string;
  };
  /** Removes the trace from everything that shows it. */
  readonly onDeleted: () => void | Promise<void>;
  readonly onClose: () => void;
}

/** Asks for confirmation, then deletes a trace. */
export function DeleteTraceDialog({ trace, onDeleted, onClose }: DeleteTraceDialogProps) {
  const { traceId, name, startedAt } = trace;
  const client = usePlatform();
  const toaster = useToaster();
  const remove = useMutation({
    mutationFn: () => deleteTrace(client, traceId),
    onSuccess: async () => {
      toaster.done("Trace deleted.");
      await onDeleted();
    },
  });
  return (
    <Dialog
      title="Delete trace?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            {remove.isPending ? "Deleting…" : "Delete"}
          </Button>
        </>
      }
    >
      <p>
        <strong className="font-semibold break-words">{shownName(name)}</strong> of{" "}
        {formatTime(startedAt)} will be deleted with all its spans. This can't be undone.
      </p>
      <p className="font-mono text-[0.93rem] break-all text-ink-soft">{traceId}</p>
      {remove.error !== null && (
        <p role="alert" className="text-danger">
          {remove.error.message}
        </p>
      )}
    </Dialog>
  );
}
