import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usePlatform } from "../../api/platform-context.tsx";
import type { TraceRow } from "../../api/trace-row.ts";
import { deleteTrace, type TracePages, tracesKey } from "../../api/traces.ts";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { useToaster } from "../../design/toaster.tsx";
import { formatTime } from "../../format/format-time.ts";
import { shownName } from "../../spans/shown-name.ts";
import { withoutTrace } from "../live/merge-rows.ts";

interface DeleteDialogProps {
  readonly row: TraceRow;
  readonly onClose: () => void;
}

/** Asks before a trace is gone for good. */
export function DeleteDialog({ row, onClose }: DeleteDialogProps) {
  const client = usePlatform();
  const queries = useQueryClient();
  const toaster = useToaster();
  const remove = useMutation({
    mutationFn: () => deleteTrace(client, row.traceId),
    onSuccess: () => {
      toaster.done("The trace is deleted.");
      for (const view of ["traces", "spans"] as const) {
        queries.setQueriesData<TracePages>(
          { queryKey: tracesKey(client, view) },
          (list) => list && { ...list, pages: [...withoutTrace(list.pages, row.traceId)] },
        );
      }
      onClose();
    },
  });
  return (
    <Dialog
      title="Delete this trace?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            Delete for good
          </Button>
        </>
      }
    >
      <p>
        <strong className="font-semibold break-words">{shownName(row.name)}</strong> of{" "}
        {formatTime(row.startedAt)}, with all of its spans. There is no way back.
      </p>
      <p className="font-mono text-[0.93rem] break-all text-ink-soft">{row.traceId}</p>
      {remove.error && (
        <p role="alert" className="text-danger">
          {remove.error.message}
        </p>
      )}
    </Dialog>
  );
}
