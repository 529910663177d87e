import type { SpanRecord } from "@agate/protocol";
import { useMemo } from "react";
import { JsonView } from "../value-view/json-view.tsx";

/** The record as the platform has it, without the spans below it. */
export function RawTab({ span }: { readonly span: SpanRecord }) {
  const record = useMemo(() => {
    const { children, ...own } = span;
    return { ...own, children: children === null ? null : children.map(({ id }) => id) };
  }, [span]);
  return (
    <div className="px-4 py-3">
      {span.children !== null && (
        <p className="mb-1.5 text-ink-soft">Of the spans below it, the ids alone.</p>
      )}
      <JsonView value={record} label="Raw record" openDepth={2} />
    </div>
  );
}
