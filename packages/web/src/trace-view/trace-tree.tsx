import type { SpanRecord } from "@agate/protocol";
import { TreeGrid } from "./tree-grid.tsx";
import { TreeToolbar } from "./tree-toolbar.tsx";
import { useTreeView } from "./use-tree-view.ts";

interface TraceTreeProps {
  readonly trace: SpanRecord;
  /** The id of the chosen span. */
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  /** Beside something else: names and bars alone. */
  readonly isCompact?: boolean;
  /** Ids of spans that came while one was looking. */
  readonly fresh?: ReadonlySet<string>;
}

/** The spans of a trace, as a tree and in time. */
export function TraceTree({ trace, selected, onSelect, isCompact = false, fresh }: TraceTreeProps) {
  const view = useTreeView(trace, selected, onSelect);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <TreeToolbar view={view} isCompact={isCompact} />
      <TreeGrid view={view} selected={selected} isCompact={isCompact} fresh={fresh} />
    </div>
  );
}
