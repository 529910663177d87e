import type { SpanRecord } from "@agate/protocol";
import { Link } from "@tanstack/react-router";
import { ArrowUpRight, ChevronRight } from "lucide-react";
import { useState } from "react";
import { SpanDetail } from "../../trace-view/span-detail.tsx";
import { TraceTree } from "../../trace-view/span-tree-view.tsx";
import type { Run } from "./run.ts";

interface RunTraceProps {
  readonly run: Run;
  /** Of what it is: `Case 1`. */
  readonly name: string;
  readonly isOpenAtFirst: boolean;
}

/** The trace that came with the response, so that nothing needs to be loaded. */
export function RunTrace({ run: { trace, traceId }, name, isOpenAtFirst }: RunTraceProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [selected, setSelected] = useState<string | null>(null);
  if (traceId === null) return null;
  const span = trace && selected !== null ? findSpan(trace, selected) : null;
  return (
    <section
      aria-label={`Trace of ${name}`}
      className="min-w-0 border-line @max-4xl:border-t @4xl:w-1/2 @4xl:shrink-0 @4xl:border-l"
    >
      <div className="flex h-9 items-center justify-between gap-2 px-4">
        {trace === null ? (
          <span className="text-ink-soft">Trace</span>
        ) : (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="-ml-1 flex items-center gap-1 rounded px-1 font-medium text-ink-soft hover:text-ink"
          >
            <ChevronRight
              size={15}
              aria-hidden
              className={isOpen ? "rotate-90 transition-transform" : "transition-transform"}
            />
            Trace
          </button>
        )}
        <Link
          to="/traces/$traceId"
          params={{ traceId }}
          className="flex items-center gap-1 text-[0.93rem] text-ink-soft hover:text-accent hover:underline"
        >
          Open trace
          <ArrowUpRight size={14} aria-hidden />
        </Link>
      </div>
      {trace !== null && isOpen && (
        <div className="flex flex-col border-t border-line">
          <div className="flex max-h-80 min-h-0 flex-col">
            <TraceTree trace={trace} selected={selected} onSelect={setSelected} isCompact />
          </div>
          {span && (
            <div className="border-t border-line">
              <SpanDetail span={span} />
            </div>
          )}
        </div>
      )}
    </section>
  );
}

/** Null if the trace has no such span. Iterative: traces may be nested deeper than the call stack. */
function findSpan(trace: SpanRecord, id: string): SpanRecord | null {
  const open = [trace];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    if (span.id === id) return span;
    // Pushed one by one: spreading very many children overflows the argument limit.
    for (const child of span.children ?? []) open.push(child);
  }
  return null;
}
