import type { SpanRecord } from "@agate/protocol";
import { CopyButton } from "../design/copy-button.tsx";
import { formatCost } from "../format/format-cost.ts";
import { formatCount } from "../format/format-count.ts";
import { formatLatency } from "../format/format-latency.ts";
import { shownName } from "../spans/shown-name.ts";
import { SpanKindIcon } from "../spans/span-kind-icon.tsx";
import { StatusBadge } from "../spans/status-badge.tsx";
import { LongText } from "../value-view/long-text.tsx";
import { CopyMenu } from "./copy-menu.tsx";
import { PlaygroundLink } from "./playground-link.tsx";
import { routeCallOf } from "./route-call.ts";

/** What a span is, in short, and what can be done with it. */
export function SpanHeader({ span }: { readonly span: SpanRecord }) {
  const { metadata } = span;
  const call = routeCallOf(span);
  const figures = [
    ["Latency", formatLatency(metadata.latency)],
    ["Tokens", formatCount(metadata.usage?.total_tokens ?? null)],
    ["Cost", formatCost(metadata.cost)],
    ["Model", metadata.model ?? "–"],
  ].filter(([, value]) => value !== "–");
  return (
    <header className="flex flex-col gap-2 border-b border-line px-4 py-3">
      <div className="flex min-w-0 items-center gap-2">
        <SpanKindIcon kind={span.spankind} size={17} />
        <h2 className="min-w-0 flex-1 truncate text-base font-semibold" title={span.name}>
          <bdi>{shownName(span.name)}</bdi>
        </h2>
        <span className="shrink-0">
          <StatusBadge status={span.status} isCancelled={metadata.cancelled === true} />
        </span>
      </div>
      {metadata.status_message && (
        <div
          role="note"
          aria-label="Status message"
          className={
            span.status === "ERROR"
              ? "max-h-64 overflow-y-auto rounded-md bg-danger-soft px-2.5 py-1.5 text-danger"
              : "max-h-64 overflow-y-auto rounded-md bg-sunken px-2.5 py-1.5"
          }
        >
          <LongText key={span.id} text={metadata.status_message} limit={300} />
        </div>
      )}
      {figures.length > 0 && (
        <dl className="flex flex-wrap gap-x-4 gap-y-1">
          {figures.map(([label, value]) => (
            <div key={label} className="flex min-w-0 gap-1.5">
              <dt className="text-ink-soft">{label}</dt>
              <dd className="min-w-0 truncate font-medium tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className="flex flex-wrap items-center gap-x-1 gap-y-2">
        <code className="max-w-56 truncate font-mono text-xs text-ink-soft" title={span.id}>
          {span.id}
        </code>
        <CopyButton what="span id" text={span.id} />
        <span className="flex-1" />
        <CopyMenu span={span} call={call} />
        {call !== null && <PlaygroundLink call={call} size="small" />}
      </div>
    </header>
  );
}
