import type { Envelope } from "@sentry/core";

/** What Sentry would have been sent of one span, or of one error. */
export interface SentByClient {
  readonly kind: "span" | "error";
  readonly name: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly traceId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Prints what an envelope carries; takes the place of Sentry's own server. */
export function printEnvelope([, items]: Envelope): object {
  for (const [{ type }, payload] of items) {
    for (const sent of sentIn(type, payload as Payload)) console.log(JSON.stringify({ sent }));
  }
  return { statusCode: 200 };
}

interface Span {
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly trace_id: string;
}

interface Payload {
  readonly items?: readonly (Span & { readonly name: string; readonly attributes: object })[];
  readonly transaction?: string;
  readonly contexts?: { readonly trace: Span & { readonly data?: object } };
  readonly spans?: readonly (Span & { readonly description: string; readonly data: object })[];
  readonly exception?: { readonly values: readonly { readonly value: string }[] };
}

function sentIn(type: string, payload: Payload): SentByClient[] {
  const trace = payload.contexts?.trace;
  switch (type) {
    case "span":
      return (payload.items ?? []).map((span) => of("span", span, span.name, span.attributes));
    case "transaction":
      return [
        ...(trace === undefined
          ? []
          : [of("span", trace, payload.transaction ?? "", trace.data ?? {})]),
        ...(payload.spans ?? []).map((span) => of("span", span, span.description, span.data)),
      ];
    case "event":
      return trace === undefined
        ? []
        : [of("error", trace, payload.exception?.values[0]?.value ?? "", {})];
    default:
      return [];
  }
}

function of(kind: "span" | "error", span: Span, name: string, attributes: object): SentByClient {
  return {
    kind,
    name,
    id: span.span_id,
    parentId: span.parent_span_id ?? null,
    traceId: span.trace_id,
    attributes: { ...attributes },
  };
}
