import type { SpanRecord } from "@agate/protocol";
import { useMemo } from "react";
import { buildSpanTree } from "./span-tree.ts";
import { SpanTreeView } from "./span-tree-view.tsx";

interface TraceTreeProps {
  readonly trace: SpanRecord;
  /** The id of the chosen span. */
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  /** Beside something else: names and bars alone. */
  readonly isCompact?: boolean;
}

/** The spans of a trace, as a tree and in time. */
export function TraceTree({ trace, ...rest }: TraceTreeProps) {
  const tree = useMemo(() => buildSpanTree(trace), [trace]);
  return <SpanTreeView tree={tree} {...rest} />;
}
