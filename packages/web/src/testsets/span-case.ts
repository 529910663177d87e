import { AGATE_ATTRIBUTES, isRecord, type ListedSpan, type RouteBinding } from "@agate/protocol";
import { inputsId } from "@agate/protocol/testsets";

/** What can become a row of a test set, or why it cannot. */
export type Candidate =
  | {
      readonly kind: "case";
      readonly id: string;
      readonly name: string;
      readonly inputs: Readonly<Record<string, unknown>>;
      /** Undefined: there is none. */
      readonly output: unknown;
      /** Why the output cannot be the expected value; null if it can. */
      readonly outputProblem: string | null;
      readonly route: RouteBinding | null;
      readonly source: { readonly trace_id: string; readonly span_id: string } | null;
    }
  | { readonly kind: "refused"; readonly name: string; readonly reason: string };

/** A recorded call as a row. What was redacted or cut off cannot be repeated. */
export function caseOfSpan(span: ListedSpan): Candidate {
  const { name, content, metadata } = span;
  const route = metadata.attributes[AGATE_ATTRIBUTES.route];
  const refused = (reason: string): Candidate => ({ kind: "refused", name, reason });
  if (typeof route !== "string") return refused("Not a call of a route.");
  if (metadata.redacted === true) return refused("Redacted: parts of it were not recorded.");
  const { inputs } = content;
  if (isTruncated(inputs)) return refused("Truncated: the inputs were cut off when recorded.");
  if (!isRecord(inputs)) return refused("No inputs recorded.");
  return {
    kind: "case",
    id: inputsId(inputs),
    name,
    inputs,
    output: content.outputs ?? undefined,
    outputProblem: isTruncated(content.outputs)
      ? "Truncated: the output was cut off when recorded."
      : null,
    route: metadata.application === null ? null : { application: metadata.application, route },
    source: { trace_id: span.trace_id, span_id: span.id },
  };
}

/** A case of the playground as a row. */
export function caseOfInputs(name: string, inputs: unknown, route: RouteBinding): Candidate {
  if (!isRecord(inputs)) return { kind: "refused", name, reason: "Its inputs are no object." };
  const id = inputsId(inputs);
  return {
    kind: "case",
    id,
    name,
    inputs,
    output: undefined,
    outputProblem: null,
    route,
    source: null,
  };
}

/** As the SDK records a value beyond its limit: the beginning of it, marked. */
function isTruncated(value: unknown): boolean {
  if (!isRecord(value) || value.truncated !== true || !("start" in value)) return false;
  return typeof value.limit === "number" || typeof value.chunks === "number";
}

/** Of candidates with the same inputs, the first. */
export function distinctCases(
  candidates: readonly Candidate[],
): readonly Extract<Candidate, { readonly kind: "case" }>[] {
  const byId = new Map<string, Extract<Candidate, { readonly kind: "case" }>>();
  for (const each of candidates) {
    if (each.kind === "case" && !byId.has(each.id)) byId.set(each.id, each);
  }
  return [...byId.values()];
}
