import type { SpanRecord } from "@agate/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Download, Link as LinkIcon, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import { downloadTrace, traceQuery } from "../api/trace.ts";
import { deleteTrace, tracesKey } from "../api/traces.ts";
import { Button, IconButton } from "../design/button.tsx";
import { useCopy } from "../design/copy-button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { useToaster } from "../design/toaster.tsx";
import { PlaygroundLink } from "./registry-links.tsx";
import type { RouteCall } from "./route-call.ts";

interface TraceActionsProps {
  readonly trace: SpanRecord;
  /** What the list of traces that one came from is filtered by. */
  readonly list: Readonly<Record<string, string>>;
  readonly call: RouteCall | null;
}

/** What can be done with a trace. */
export function TraceActions({ trace, list, call }: TraceActionsProps) {
  const [isDeleting, setDeleting] = useState(false);
  const client = usePlatform();
  const toaster = useToaster();
  const copy = useCopy();
  const session = useQuery(sessionQuery(client));
  const isAdmin = mayDo(session.data, "admin");
  const download = useMutation({
    mutationFn: () => downloadTrace(client, trace.trace_id),
    onSuccess: (blob) => saveAs(blob, `trace-${trace.trace_id}.json`),
    onError: (error) => toaster.failed(error.message),
  });
  return (
    <div className="flex items-center gap-1">
      {call !== null && <PlaygroundLink call={call} />}
      <IconButton
        icon={LinkIcon}
        label="Copy link"
        onClick={() => copy(window.location.href, "The link is copied.")}
      />
      <IconButton
        icon={Download}
        label="Download as JSON"
        disabled={download.isPending}
        onClick={() => download.mutate()}
      />
      <IconButton
        icon={Trash2}
        label="Delete"
        refusal={isAdmin ? null : "Your key needs the scope admin to delete a trace."}
        onClick={() => setDeleting(true)}
      />
      {isDeleting && <DeleteDialog trace={trace} list={list} onClose={() => setDeleting(false)} />}
    </div>
  );
}

interface DeleteDialogProps extends Pick<TraceActionsProps, "trace" | "list"> {
  readonly onClose: () => void;
}

function DeleteDialog({ trace, list, onClose }: DeleteDialogProps) {
  const client = usePlatform();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toaster = useToaster();
  const remove = useMutation({
    mutationFn: () => deleteTrace(client, trace.trace_id),
    onSuccess: async () => {
      toaster.done("The trace is deleted.");
      // Lists are not read anew by themselves; they must not show what is gone.
      void queries.resetQueries({ queryKey: tracesKey(client) });
      await navigate({ to: "/traces", search: list });
      queries.removeQueries({ queryKey: traceQuery(client, trace.trace_id).queryKey });
    },
  });
  return (
    <Dialog
      title="Delete this trace?"
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
      <p>All of its spans are removed for good. Nobody can bring them back.</p>
      {remove.error !== null && (
        <p role="alert" className="text-danger">
          {remove.error.message}
        </p>
      )}
    </Dialog>
  );
}

function saveAs(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
