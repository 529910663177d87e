import type { Attributes } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

/** What a user's own exporter was given of one span. */
export interface PrintedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly scope: string;
  readonly attributes: Attributes;
  readonly status: ReadableSpan["status"];
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
}

/** Stands for the exporter of the user's choice: prints each span that it is given as JSON. */
export class PrintingExporter implements SpanExporter {
  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    for (const span of spans) console.log(JSON.stringify({ exported: printed(span) }));
    done({ code: 0 });
  }
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

/** What versions 1 of OpenTelemetry's SDK have in place of two of the fields. */
interface OldSpan {
  readonly parentSpanId?: string;
  readonly instrumentationLibrary?: { readonly name: string };
}

function printed(span: ReadableSpan): PrintedSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    traceId,
    id: spanId,
    parentId: span.parentSpanContext?.spanId ?? (span as OldSpan).parentSpanId ?? null,
    scope: (span.instrumentationScope ?? (span as OldSpan).instrumentationLibrary)?.name ?? "",
    attributes: span.attributes,
    status: span.status,
    events: span.events.map(({ name, attributes = {} }) => ({ name, attributes })),
  };
}
