import type { SpanRecord } from "@agate/protocol";
import { formatDuration, formatTotalCost, plural, unpricedText } from "@agate/protocol/format";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../design/badge.tsx";
import { useNow } from "../design/browser-state.ts";
import { CopyButton } from "../design/copy-button.tsx";
import { formatTime, formatWhen } from "../format/format-time.ts";
import { shownName } from "../spans/shown-name.ts";
import { SpanKindIcon, StatusBadge } from "../spans/span-badges.tsx";
import { VariantLink } from "./registry-links.tsx";
import { TraceActions } from "./trace-actions.tsx";
import { caseText, type TraceFacts, usageText } from "./trace-facts.ts";

interface TraceHeaderProps {
  readonly trace: SpanRecord;
  /** The search of the list to go back to. */
  readonly list: Readonly<Record<string, string>>;
  readonly facts: TraceFacts;
}

/** Name, status and figures of a trace, and its actions. */
export function TraceHeader({ trace, list, facts }: TraceHeaderProps) {
  const { metadata } = trace;
  return (
    <header className="flex shrink-0 flex-col gap-2 border-b border-line bg-surface px-4 pt-3 pb-2.5 md:px-6">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <Link
          to="/traces"
          search={list}
          activeOptions={{ exact: true }}
          className="text-ink-soft hover:text-ink hover:underline max-md:mr-auto"
        >
          Traces
        </Link>
        <span aria-hidden className="text-ink-soft max-md:hidden">
          /
        </span>
        {/* On a phone on its own line: beside the actions there would be no room for the name. */}
        <div className="flex min-w-0 items-center gap-2 max-md:order-last max-md:basis-full md:flex-1">
          <SpanKindIcon kind={trace.spankind} size={18} />
          <h1
            className="min-w-0 truncate pr-0.5 text-lg font-semibold tracking-tight"
            title={trace.name}
          >
            <bdi>{shownName(trace.name)}</bdi>
          </h1>
          <span className="shrink-0">
            <StatusBadge status={trace.status} isCancelled={metadata.cancelled === true} />
          </span>
          {facts.evaluation !== null && (
            <span className="shrink-0">
              <Badge tone="accent" title={`Evaluation run ${facts.evaluation.run}`}>
                Evaluation
              </Badge>
            </span>
          )}
        </div>
        <TraceActions trace={trace} list={list} call={facts.call} />
      </div>
      <FactList trace={trace} facts={facts} />
    </header>
  );
}

function FactList({ trace, facts }: Pick<TraceHeaderProps, "trace" | "facts">) {
  const { metadata, spankind, trace_id } = trace;
  const { call, variantSpan, evaluation } = facts;
  const shownCase = evaluation === null ? null : caseText(evaluation);
  const unpriced = unpricedText(metadata.total);
  return (
    <dl className="flex gap-x-5 gap-y-1 pb-0.5 max-md:overflow-x-auto md:flex-wrap">
      <Fact name="Started">
        <Started at={metadata.start_time} />
      </Fact>
      <Fact name="Kind">{spankind}</Fact>
      <Fact name="Latency">{formatDuration(metadata.latency)}</Fact>
      <Fact name="Tokens">{usageText(metadata.total.usage)}</Fact>
      <Fact name="Cost">
        {formatTotalCost(metadata.total)}
        {unpriced !== null && <span className="text-ink-soft"> · {unpriced}</span>}
      </Fact>
      <Fact name="Spans">
        {facts.spans.toLocaleString("en")}
        {facts.errors > 0 && (
          <span className="text-danger"> · {plural(facts.errors, "error")}</span>
        )}
      </Fact>
      <FilterFact name="Application" filter="application" value={facts.application} />
      {call !== null && (
        <FilterFact
          name="Route"
          filter="route"
          value={call.route}
          more={{ application: call.app }}
        />
      )}
      {variantSpan !== null && (
        <Fact name="Variant">
          <VariantLink span={variantSpan} />
        </Fact>
      )}
      <FilterFact name="Environment" filter="environment" value={facts.environment} />
      <FilterFact name="User" filter="user_id" value={facts.userId} />
      <FilterFact name="Session" filter="session_id" value={facts.sessionId} />
      <FilterFact name="Run" filter="run" value={facts.evaluation?.run ?? null} />
      {shownCase !== null && (
        <Fact name="Case">
          <bdi>{shownName(shownCase)}</bdi>
        </Fact>
      )}
      <Fact name="Trace id">
        <span className="flex items-center gap-0.5">
          <code className="max-w-40 truncate font-mono text-xs" title={trace_id}>
            {trace_id}
          </code>
          <CopyButton what="trace id" text={trace_id} />
        </span>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex shrink-0 items-center gap-1.5 whitespace-nowrap">
      <dt className="text-ink-soft">{name}</dt>
      {/* The padding leaves room for the focus ring. */}
      <dd className="-m-1 max-w-96 truncate p-1 font-medium tabular-nums">{children}</dd>
    </div>
  );
}

interface FilterFactProps {
  readonly name: string;
  readonly filter: string;
  readonly value: string | null;
  readonly more?: Readonly<Record<string, string>>;
}

/** A value that links to the traces that share it; nothing where there is none. */
function FilterFact({ name, filter, value, more = {} }: FilterFactProps) {
  if (value === null) return null;
  return (
    <Fact name={name}>
      <Link
        to="/traces"
        search={{ ...more, [filter]: value }}
        title={`Show traces with ${value}`}
        className="text-accent hover:underline"
      >
        <bdi>{shownName(value)}</bdi>
      </Link>
    </Fact>
  );
}

function Started({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={at}>
      {formatTime(at)} <span className="font-normal text-ink-soft">({formatWhen(at, now)})</span>
    </time>
  );
}
