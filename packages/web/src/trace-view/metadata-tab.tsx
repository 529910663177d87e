import { type SpanRecord, USAGE_FIELDS, type Usage } from "@agate/protocol";
import { formatCost, formatDuration, unpricedText } from "@agate/protocol/format";
import { JsonView } from "../value-view/json-view.tsx";
import { DetailSection, Facts } from "./detail-section.tsx";
import { ownIntervals, spanTimes, totalOf } from "./span-times.ts";

const USAGE_LABELS: Record<keyof Usage, string> = {
  input_tokens: "Input tokens",
  output_tokens: "Output tokens",
  total_tokens: "Total tokens",
  cached_input_tokens: "Cached input tokens",
  reasoning_tokens: "Reasoning tokens",
};

/** Times, tokens, cost and attributes of a span. */
export function MetadataTab({ span }: { readonly span: SpanRecord }) {
  const { metadata } = span;
  const { total } = metadata;
  return (
    <>
      <DetailSection title="Span">
        <Facts
          facts={[
            ["Kind", span.spankind],
            ["Application", metadata.application],
            ["Build", metadata.build ?? null],
            ["User", span.user_id],
            ["Session", metadata.session_id],
            ["Provider", metadata.provider],
            ["Model", metadata.model],
            ["Trace id", <Id key="id" id={span.trace_id} />],
            ["Parent span", span.parent_span_id && <Id key="id" id={span.parent_span_id} />],
          ]}
        />
      </DetailSection>
      <DetailSection title="Time">
        <Facts
          facts={[
            ["Started", metadata.start_time],
            ["Ended", metadata.end_time ?? "Not ended"],
            ["Latency", formatDuration(metadata.latency)],
            ["Own time", span.children === null ? null : ownTimeText(span)],
          ]}
        />
      </DetailSection>
      {(metadata.usage !== null || metadata.cost !== null) && (
        <DetailSection title="Own tokens and cost">
          <Figures usage={metadata.usage} cost={metadata.cost} />
        </DetailSection>
      )}
      {span.children !== null && (total.usage !== null || total.cost !== null) && (
        <DetailSection title="Including child spans">
          <Figures usage={total.usage} cost={total.cost} unpriced={unpricedText(total)} />
        </DetailSection>
      )}
      <Part title="Attributes" value={metadata.attributes} />
      <Part title="Links" value={metadata.links} />
      <Part title="Resource" value={metadata.resource} />
      <Part title="Scope" value={metadata.scope} />
      <Part title="OpenTelemetry" value={metadata.otel} />
    </>
  );
}

interface FiguresProps {
  readonly usage: Usage | null;
  readonly cost: number | null;
  /** What the cost leaves out, in words. */
  readonly unpriced?: string | null;
}

function Figures({ usage, cost, unpriced = null }: FiguresProps) {
  const tokens = USAGE_FIELDS.flatMap((field) => {
    const count = usage?.[field] ?? null;
    return count === null ? [] : [[USAGE_LABELS[field], count.toLocaleString("en")] as const];
  });
  return (
    <Facts
      facts={[
        ...tokens,
        ["Cost", cost === null ? "Unknown" : costText(cost)],
        ["Cost leaves out", unpriced],
      ]}
    />
  );
}

function Part({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return null;
  return (
    <DetailSection title={title}>
      <JsonView value={value} label={title} />
    </DetailSection>
  );
}

function Id({ id }: { readonly id: string }) {
  return <code className="font-mono text-[0.93rem] break-all">{id}</code>;
}

function ownTimeText(span: SpanRecord): string | null {
  const latency = span.metadata.latency;
  if (latency === null || latency <= 0) return null;
  const own = totalOf(ownIntervals(spanTimes(span), (span.children ?? []).map(spanTimes)));
  return `${formatDuration(own)} (${Math.round((own / latency) * 100)}%)`;
}

function costText(cost: number): string {
  const short = formatCost(cost);
  const whole = `$${cost}`;
  return short === whole ? short : `${short} ($${cost})`;
}
