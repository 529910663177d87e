import type { SpanRecord } from "@agate/protocol";
import { formatCompactCount, formatCost, formatDuration } from "@agate/protocol/format";
import { ListPlus } from "lucide-react";
import { useMemo, useState } from "react";
import { Badge } from "../design/badge.tsx";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { type Tab, Tabs } from "../design/panels.tsx";
import { shownName } from "../spans/shown-name.ts";
import { SpanKindIcon, StatusBadge } from "../spans/span-badges.tsx";
import { AddToTestSetDialog } from "../testsets/add-to-test-set-dialog.tsx";
import { caseOfSpan } from "../testsets/span-case.ts";
import { messagesOf } from "../value-view/conversation.ts";
import { JsonView } from "../value-view/json-view.tsx";
import { LongText } from "../value-view/long-text.tsx";
import { ValueView } from "../value-view/value-view.tsx";
import { CopyMenu } from "./copy-menu.tsx";
import { DetailSection, Facts } from "./detail-section.tsx";
import { EventsTab } from "./events-tab.tsx";
import { MetadataTab } from "./metadata-tab.tsx";
import { PlaygroundLink, VariantLink } from "./registry-links.tsx";
import { routeCallOf } from "./route-call.ts";
import { ScoresTab, Thumbs } from "./scores-tab.tsx";
import { hasVariant } from "./trace-facts.ts";
import { type Rating, useRating } from "./use-rating.ts";

/** The details of the selected span. The selected tab is kept from span to span. */
export function SpanDetail({ span }: { readonly span: SpanRecord }) {
  const [tab, setTab] = useState("content");
  const rating = useRating(span);
  const tabs: readonly Tab[] = [
    { value: "content", label: "Content", content: <ContentTab span={span} /> },
    {
      value: "scores",
      label: <CountedLabel label="Scores" count={rating.scores.length} />,
      content: <ScoresTab key={span.id} rating={rating} />,
    },
    { value: "config", label: "Configuration", content: <ConfigTab span={span} /> },
    { value: "metadata", label: "Metadata", content: <MetadataTab span={span} /> },
    {
      value: "events",
      label: <CountedLabel label="Events" count={span.metadata.events.length} />,
      content: <EventsTab span={span} />,
    },
    { value: "raw", label: "Raw", content: <RawTab span={span} /> },
  ];
  return (
    <section aria-label="Span" className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <SpanHeader span={span} rating={rating} />
      {/* The key resets scroll position and folding for another span. */}
      <Tabs key={span.id} label="Span details" tabs={tabs} value={tab} onChange={setTab} />
    </section>
  );
}

/** The label of a tab with a number of entries; 0 is left out. */
function CountedLabel({ label, count }: { readonly label: string; readonly count: number }) {
  return (
    <span className="flex items-center gap-1.5">
      {label} {count > 0 && <Badge>{count.toLocaleString("en")}</Badge>}
    </span>
  );
}

interface SpanHeaderProps {
  readonly span: SpanRecord;
  readonly rating: Rating;
}

/** Name, status and figures of a span, and its actions. */
function SpanHeader({ span, rating }: SpanHeaderProps) {
  const { metadata } = span;
  const call = routeCallOf(span);
  const figures = [
    ["Latency", formatDuration(metadata.latency)],
    ["Tokens", formatCompactCount(metadata.usage?.total_tokens ?? null)],
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
        <Thumbs rating={rating} />
        <CopyMenu span={span} call={call} />
        {call !== null && <AddSpanButton span={span} />}
        {call !== null && <PlaygroundLink call={call} size="small" />}
      </div>
    </header>
  );
}

function AddSpanButton({ span }: { readonly span: SpanRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" look="quiet" onClick={() => setOpen(true)}>
        <ListPlus size={14} aria-hidden />
        Add to test set
      </Button>
      {isOpen && (
        <AddToTestSetDialog candidates={[caseOfSpan(span)]} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

const PARTS = [
  ["inputs", "Inputs"],
  ["outputs", "Outputs"],
  ["internals", "Internals"],
] as const;

/** Inputs, outputs and internals. */
function ContentTab({ span }: { readonly span: SpanRecord }) {
  const recorded = PARTS.filter(([name]) => (span.content[name] ?? null) !== null);
  if (recorded.length === 0) {
    return <p className="p-4 text-ink-soft">No inputs or outputs recorded.</p>;
  }
  return recorded.map(([name, label]) => (
    <DetailSection key={name} title={label}>
      <ValueView
        value={span.content[name]}
        messages={messagesOf(span.content, name)}
        label={label}
      />
    </DetailSection>
  ));
}

/** The configuration of a span, and its source. */
function ConfigTab({ span }: { readonly span: SpanRecord }) {
  const { config, environment, metadata } = span;
  const isNamed = hasVariant(span);
  return (
    <>
      {(isNamed || environment !== null) && (
        <DetailSection title="Source">
          <Facts
            facts={[
              ["Variant", isNamed ? <VariantLink key="variant" span={span} /> : null],
              ["Environment", environment],
              ["Application", metadata.application],
            ]}
          />
        </DetailSection>
      )}
      {config === null ? (
        <p className="p-4 text-ink-soft">No configuration recorded.</p>
      ) : (
        <DetailSection title="Configuration">
          <JsonView value={config} label="Configuration" openDepth={3} />
        </DetailSection>
      )}
    </>
  );
}

/** The record as JSON, without its child spans. */
function RawTab({ span }: { readonly span: SpanRecord }) {
  const record = useMemo(() => {
    const { children, ...own } = span;
    return { ...own, children: children === null ? null : children.map(({ id }) => id) };
  }, [span]);
  return (
    <div className="px-4 py-3">
      {span.children !== null && (
        <p className="mb-1.5 text-ink-soft">Child spans are listed by id.</p>
      )}
      <JsonView value={record} label="Raw record" openDepth={2} />
    </div>
  );
}
