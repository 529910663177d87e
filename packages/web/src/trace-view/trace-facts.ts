import { AGATE_ATTRIBUTES, type ListedSpan, type Usage } from "@agate/protocol";
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
  readonly evaluation: EvaluationFacts | null;
  /** The span that names the variant. */
  readonly variantSpan: ListedSpan | null;
  /** The outermost call of a route. */
  readonly call: RouteCall | null;
}

/** The call of an evaluation run that a trace is of, as far as its spans name it. */
export interface EvaluationFacts {
  readonly run: string;
  readonly case: string | null;
  readonly column: string | null;
  readonly trial: number | null;
}

function evaluationOf({ metadata: { attributes } }: ListedSpan): EvaluationFacts | null {
  const text = (name: string) => {
    const value = attributes[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const run = text(AGATE_ATTRIBUTES.evaluationRun);
  if (run === null) return null;
  const trial = attributes[AGATE_ATTRIBUTES.evaluationTrial];
  return {
    run,
    case: text(AGATE_ATTRIBUTES.evaluationCase),
    column: text(AGATE_ATTRIBUTES.evaluationColumn),
    trial: typeof trial === "number" ? trial : null,
  };
}

/** @example caseText({ run: "r", case: "refund-1", column: "default@9", trial: 2 }) // "refund-1 · default@9 · trial 2" */
export function caseText({ case: row, column, trial }: EvaluationFacts): string | null {
  const parts = [row, column, trial === null ? null : `trial ${trial}`];
  return parts.filter((part) => part !== null).join(" · ") || null;
}

/** Whether a span names a variant, or the revision that its configuration was edited from. */
export function hasVariant(span: Pick<ListedSpan, "variant" | "metadata">): boolean {
  const { variant_name, variant_id } = span.variant;
  return variant_name !== null || variant_id !== null || editedFrom(span) !== null;
}

/**
 * Where the root span names no application, variant, environment, user, session or run, the earliest span
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
    evaluation: first(evaluationOf),
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
