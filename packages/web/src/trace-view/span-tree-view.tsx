import type { SpanRecord } from "@agate/protocol";
import { useMemo } from "react";
import { buildSpanTree, type SpanTree } from "./span-tree.ts";
import { TreeGrid } from "./tree-grid.tsx";
import { TreeToolbar } from "./tree-toolbar.tsx";
import { useTreeView } from "./use-tree-view.ts";

interface SpanTreeViewProps {
  readonly tree: SpanTree;
  /** The id of the chosen span. */
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  readonly isCompact?: boolean;
  /** Ids of spans that came while one was looking. */
  readonly fresh?: ReadonlySet<string>;
}

/** A tree of which all is in sight needs nothing to find things by. */
const FEW_SPANS = 12;

/** The rows of a tree, with what finds things in them. */
export function SpanTreeView(props: SpanTreeViewProps) {
  const { tree, selected, onSelect, isCompact = false, fresh } = props;
  const view = useTreeView(tree, selected, onSelect);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {!(isCompact && isPlain(tree)) && <TreeToolbar view={view} isCompact={isCompact} />}
      <TreeGrid view={view} selected={selected} isCompact={isCompact} fresh={fresh} />
    </div>
  );
}

function isPlain({ nodes }: SpanTree): boolean {
  return nodes.length <= FEW_SPANS && !nodes.some(({ span }) => span.status === "ERROR");
}

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
