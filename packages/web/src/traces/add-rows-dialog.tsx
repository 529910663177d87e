import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../api/api-error.ts";
import type { PlatformClient } from "../api/platform-client.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { readSpan } from "../api/trace.ts";
import type { TraceRow } from "../api/trace-row.ts";
import { Dialog } from "../design/dialog.tsx";
import { ErrorState, Skeleton } from "../design/empty-state.tsx";
import { AddToTestSetDialog } from "../testsets/add-to-test-set-dialog.tsx";
import { type Candidate, caseOfSpan } from "../testsets/span-case.ts";

interface AddRowsDialogProps {
  readonly rows: readonly TraceRow[];
  readonly onClose: () => void;
}

/** Adds listed calls to a test set. Rows hold only a preview of their content: it is read first. */
export function AddRowsDialog({ rows, onClose }: AddRowsDialogProps) {
  const client = usePlatform();
  const candidates = useQuery({
    queryKey: [client.project, "span-cases", rows.map(({ spanId }) => spanId)],
    queryFn: ({ signal }) => readCandidates(client, rows, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (candidates.data !== undefined) {
    return <AddToTestSetDialog candidates={candidates.data} onClose={onClose} />;
  }
  return (
    <Dialog title="Add to test set" onClose={onClose}>
      {candidates.error === null ? (
        <Skeleton />
      ) : (
        <ErrorState error={candidates.error} onRetry={() => void candidates.refetch()} />
      )}
    </Dialog>
  );
}

/** How many spans are read at a time: as many connections as a browser opens. */
const READS_AT_ONCE = 6;

/** Reads the spans of rows. A span comes with all below it, of which only the case is kept. */
async function readCandidates(
  client: PlatformClient,
  rows: readonly TraceRow[],
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  const waiting = rows.entries();
  const readOn = async () => {
    for (const [index, row] of waiting) candidates[index] = await candidateOf(client, row, signal);
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn));
  return candidates;
}

async function candidateOf(
  client: PlatformClient,
  { name, traceId, spanId }: TraceRow,
  signal: AbortSignal,
): Promise<Candidate> {
  try {
    return caseOfSpan(await readSpan(client, spanId, signal));
  } catch (error) {
    const isDeleted = error instanceof ApiError && error.has("span_not_found");
    if (!isDeleted) throw error;
    const source = { trace_id: traceId, span_id: spanId };
    return { kind: "refused", name, source, reason: "Deleted since it was listed." };
  }
}
