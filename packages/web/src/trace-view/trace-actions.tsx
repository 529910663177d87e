import type { SpanRecord } from "@agate/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Download, Link as LinkIcon, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import { downloadTrace, traceQuery } from "../api/trace.ts";
import { tracesKey } from "../api/traces.ts";
import { IconButton } from "../design/button.tsx";
import { useCopy } from "../design/copy-button.tsx";
import { useToaster } from "../design/toaster.tsx";
import { DeleteTraceDialog } from "./delete-trace-dialog.tsx";
import { PlaygroundLink } from "./registry-links.tsx";
import type { RouteCall } from "./route-call.ts";

interface TraceActionsProps {
  readonly trace: SpanRecord;
  /** The search of the list to go back to. */
  readonly list: Readonly<Record<string, string>>;
  readonly call: RouteCall | null;
}

/** Copies, downloads or deletes the trace, or opens it in the playground. */
export function TraceActions({ trace, list, call }: TraceActionsProps) {
  const [isDeleting, setDeleting] = useState(false);
  const client = usePlatform();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toaster = useToaster();
  const copy = useCopy();
  const session = useQuery(sessionQuery(client));
  const isAdmin = mayDo(session.data, "admin");
  const download = useMutation({
    mutationFn: () => downloadTrace(client, trace.trace_id),
    onSuccess: (blob) => saveAs(blob, `trace-${trace.trace_id}.json`),
    onError: (error) => toaster.failed(error.message),
  });
  const leave = async () => {
    // Lists are not read again on their own, and must not show the deleted trace.
    void queries.resetQueries({ queryKey: tracesKey(client) });
    await navigate({ to: "/traces", search: list });
    queries.removeQueries({ queryKey: traceQuery(client, trace.trace_id).queryKey });
  };
  return (
    <div className="flex items-center gap-1">
      {call !== null && <PlaygroundLink call={call} />}
      <IconButton
        icon={LinkIcon}
        label="Copy link"
        onClick={() => copy(window.location.href, "Link copied.")}
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
        refusal={isAdmin ? null : "Deleting a trace needs a key with the admin scope."}
        onClick={() => setDeleting(true)}
      />
      {isDeleting && (
        <DeleteTraceDialog
          trace={{
            traceId: trace.trace_id,
            name: trace.name,
            startedAt: trace.metadata.start_time,
          }}
          onDeleted={leave}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

function saveAs(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
