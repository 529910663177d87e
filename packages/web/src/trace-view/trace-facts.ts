import type { ListedSpan, Usage } from "@agate/protocol";
import { editedFrom } from "../spans/shown-name.ts";
import { type RouteCall, routeCallOf } from "./route-call.ts";
import type { SpanTree } from "./span-tree.ts";

/** Properties of a whole trace, gathered from its spans. */
export interface TraceFacts {
  readonly spans: number;
  readonly errors: number;
  readonly application: string | null;
  readonly environment: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** The span that names the variant. */
  readonly variantSpan: ListedSpan | null;
  /** The outermost call of a route. */
  readonly call: RouteCall | null;
}

/** Whether a span names a variant, or the revision that its configuration was edited from. */
export function hasVariant(span: Pick<ListedSpan, "variant" | "metadata">): boolean {
  const { variant_name, variant_id } = span.variant;
  return variant_name !== null || variant_id !== null || editedFrom(span) !== null;
}

/**
 * Where the root span names no application, variant, environment, user or session, the earliest span
 * that does counts for the trace, as in the lists.
 */
export function traceFacts({ nodes }: SpanTree): TraceFacts {
  const top = nodes[0]!;
  const first = <T>(read: (span: ListedSpan) => T | null): T | null => {
    let [found, foundAt] = [read(top.span), top.start];
    if (found !== null) return found;
    for (const { span, start } of nodes) {
      const value = found === null || start < foundAt ? read(span) : null;
      if (value !== null) [found, foundAt] = [value, start];
    }
    return found;
  };
  return {
    spans: nodes.length,
    errors: nodes.filter(({ span }) => span.status === "ERROR").length,
    application: first(({ metadata }) => metadata.application),
    environment: first(({ environment }) => environment),
    userId: first(({ user_id }) => user_id),
    sessionId: first(({ metadata }) => metadata.session_id),
    variantSpan: first((span) => (hasVariant(span) ? span : null)),
    call: first(routeCallOf),
  };
}

/**
 * Tokens on one line; counts that were not reported are left out.
 *
 * @example usageText(usage) // "1,000 in · 200 out · 600 cached · 30 reasoning"
 */
export function usageText(usage: Usage | null): string {
  if (usage === null) return "–";
  const parts = [
    counted(usage.input_tokens, "in"),
    counted(usage.output_tokens, "out"),
    // A count of 0 is left out.
    counted(usage.cached_input_tokens || null, "cached"),
    counted(usage.reasoning_tokens || null, "reasoning"),
  ].filter((part) => part !== null);
  return parts.join(" · ") || (usage.total_tokens?.toLocaleString("en") ?? "–");
}

function counted(count: number | null, what: string): string | null {
  return count === null ? null : `${count.toLocaleString("en")} ${what}`;
}
