import type { SpanRecord } from "@agate/protocol";
import { SearchX, X } from "lucide-react";
import { useMemo, useState } from "react";
import { Button, IconButton } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { EmptyState } from "../design/empty-state.tsx";
import { SplitPane } from "../design/panels.tsx";
import { indexSpans } from "./search-spans.ts";
import { SpanDetail } from "./span-detail.tsx";
import { buildSpanTree } from "./span-tree.ts";
import { SpanTreeView } from "./span-tree-view.tsx";
import { traceFacts } from "./trace-facts.ts";
import { TraceHeader } from "./trace-header.tsx";
import { nodeOf } from "./use-tree-view.ts";

interface TraceViewProps {
  readonly trace: SpanRecord;
  /** The search of the list to go back to. */
  readonly list: Readonly<Record<string, string>>;
  /** What the trace was searched for; may be empty. */
  readonly search: string;
  /** The id of the selected span; null for the first that was searched for, or the root. */
  readonly selected: string | null;
  readonly onSelect: (spanId: string | null) => void;
}

/** A trace: its header, its tree and the selected span, side by side or, on a phone, on top. */
export function TraceView({ trace, list, search, selected: asked, onSelect }: TraceViewProps) {
  const tree = useMemo(() => buildSpanTree(trace), [trace]);
  const index = useMemo(() => indexSpans(tree), [tree]);
  // Of the spans that were there when the trace was opened: a later one would take the place of what is read.
  const [hit] = useState(() => (asked === null ? index.firstHit(search)?.span.id : null) ?? null);
  const selected = asked ?? (search === "" ? null : hit);
  const facts = useMemo(() => traceFacts(tree), [tree]);
  const [seen, setSeen] = useState<ReadonlySet<string>>(() => new Set(tree.indexOf.keys()));
  const fresh = useMemo(
    () => new Set([...tree.indexOf.keys()].filter((id) => !seen.has(id))),
    [tree, seen],
  );
  const chosen = selected === null ? tree.nodes[0]! : nodeOf(tree, selected);
  const showFresh = () => {
    const [first] = fresh;
    if (first !== undefined) onSelect(first);
    setSeen(new Set(tree.indexOf.keys()));
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <TraceHeader trace={trace} list={list} facts={facts} />
      <SplitPane
        label="Tree width"
        name="trace"
        first={
          <>
            <SpanTreeView
              tree={tree}
              index={index}
              selected={selected ?? trace.id}
              onSelect={onSelect}
              search={search}
              fresh={fresh}
            />
            <div role="status" className="absolute bottom-3 left-3 z-20">
              {fresh.size > 0 && (
                <Button size="small" className="shadow-lg" onClick={showFresh}>
                  {fresh.size.toLocaleString("en")} new span{fresh.size === 1 ? "" : "s"}
                </Button>
              )}
            </div>
          </>
        }
        second={
          <div
            className={classNames(
              "flex min-h-0 min-w-0 flex-1 flex-col bg-surface",
              "max-lg:absolute max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-30 max-lg:h-[75%] max-lg:rounded-t-xl max-lg:border-t max-lg:border-line-strong max-lg:shadow-2xl",
              selected === null && "max-lg:hidden",
            )}
          >
            <div className="flex items-center justify-between border-b border-line py-1 pr-2 pl-4 lg:hidden">
              <span className="text-xs font-medium text-ink-soft">Selected span</span>
              <IconButton icon={X} label="Close span" onClick={() => onSelect(null)} />
            </div>
            {chosen === undefined ? (
              <EmptyState icon={SearchX} title="Span not found">
                <p className="break-all">
                  {selected} is not in this trace, or has not arrived yet.
                </p>
                <Button onClick={() => onSelect(null)}>Show root span</Button>
              </EmptyState>
            ) : (
              <SpanDetail span={chosen.span} />
            )}
          </div>
        }
      />
    </div>
  );
}
