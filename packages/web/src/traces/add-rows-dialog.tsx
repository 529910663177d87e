import { useQueries } from "@tanstack/react-query";
import { usePlatform } from "../api/platform-context.tsx";
import { spanQuery } from "../api/trace.ts";
import type { TraceRow } from "../api/trace-row.ts";
import { Dialog } from "../design/dialog.tsx";
import { ErrorState, Skeleton } from "../design/empty-state.tsx";
import { AddToTestSetDialog } from "../testsets/add-to-test-set-dialog.tsx";
import { caseOfSpan } from "../testsets/span-case.ts";

interface AddRowsDialogProps {
  readonly rows: readonly TraceRow[];
  readonly onClose: () => void;
}

/** Adds listed calls to a test set. Rows hold only a preview of their content: it is read first. */
export function AddRowsDialog({ rows, onClose }: AddRowsDialogProps) {
  const client = usePlatform();
  const spans = useQueries({ queries: rows.map(({ spanId }) => spanQuery(client, spanId)) });
  const error = spans.find((span) => span.error !== null)?.error ?? null;
  const read = spans.flatMap(({ data }) => data ?? []);
  if (error === null && read.length === rows.length) {
    return <AddToTestSetDialog candidates={read.map(caseOfSpan)} onClose={onClose} />;
  }
  return (
    <Dialog title="Add to test set" onClose={onClose}>
      {error === null ? (
        <Skeleton />
      ) : (
        <ErrorState
          error={error}
          onRetry={() => {
            for (const span of spans) if (span.error !== null) void span.refetch();
          }}
        />
      )}
    </Dialog>
  );
}
