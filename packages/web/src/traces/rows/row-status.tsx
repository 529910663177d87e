import { CircleAlert } from "lucide-react";
import type { TraceRow } from "../../api/trace-row.ts";
import { Badge } from "../../design/badge.tsx";
import { formatUnits } from "../../format/format-count.ts";
import { StatusBadge } from "../../spans/status-badge.tsx";

/** How a trace went, and whether anything below its top failed. */
export function RowStatus({ row }: { readonly row: TraceRow }) {
  const { status, isCancelled, failedSpans } = row;
  const isHidden = status !== "ERROR" && failedSpans > 0;
  const label = `${formatUnits(failedSpans, "failed span")} below`;
  return (
    <>
      {(isCancelled || !(isHidden && status === "UNSET")) && (
        <StatusBadge status={status} isCancelled={isCancelled} />
      )}
      {isHidden && (
        <Badge tone="danger" title={label}>
          <CircleAlert size={12} role="img" aria-label={label} />
          <span aria-hidden>{failedSpans.toLocaleString("en")}</span>
        </Badge>
      )}
    </>
  );
}
