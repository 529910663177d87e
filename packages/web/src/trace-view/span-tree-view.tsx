import type { SpanRecord } from "@agate/protocol";
import { useMemo } from "react";
import { buildSpanTree, type SpanTree } from "./span-tree.ts";
import { TreeGrid } from "./tree-grid.tsx";
import { TreeToolbar } from "./tree-toolbar.tsx";
import { useTreeView } from "./use-tree-view.ts";

interface SpanTreeViewProps {
  readonly tree: SpanTree;
  /** The id of the selected span. */
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  readonly isCompact?: boolean;
  /** The ids of spans that arrived since the page was opened. */
  readonly fresh?: ReadonlySet<string>;
}

/** Up to this size a compact tree fits on the screen, and needs no toolbar. */
const FEW_SPANS = 12;

/** A span tree with its toolbar. */
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
  /** The id of the selected span. */
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  /** Without the columns for tokens and cost, for a small pane. */
  readonly isCompact?: boolean;
}

/** The span tree of a trace. */
export function TraceTree({ trace, ...rest }: TraceTreeProps) {
  const tree = useMemo(() => buildSpanTree(trace), [trace]);
  return <SpanTreeView tree={tree} {...rest} />;
}
