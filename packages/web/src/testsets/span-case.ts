import { isRecord, type ListedSpan, type RouteBinding } from "@agate/protocol";
import { inputsId, spanCase } from "@agate/protocol/testsets";

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
      readonly source: RecordedCall | null;
    }
  | {
      readonly kind: "refused";
      readonly name: string;
      readonly reason: string;
      readonly source: RecordedCall | null;
    };

/** Where a recorded call is found. */
interface RecordedCall {
  readonly trace_id: string;
  readonly span_id: string;
}

/** A recorded call as a row, with the checks of the platform. */
export function caseOfSpan(span: ListedSpan): Candidate {
  const { id, name, trace_id, metadata } = span;
  const read = spanCase(span);
  const source = { trace_id, span_id: id };
  if (read.kind === "refused") return { ...read, name, source };
  const { application } = metadata;
  return {
    ...read,
    id: inputsId(read.inputs),
    name,
    output: read.output ?? undefined,
    route: application === null ? null : { application, route: read.route },
    source,
  };
}

/** A case of the playground as a row. */
export function caseOfInputs(name: string, inputs: unknown, route: RouteBinding): Candidate {
  if (!isRecord(inputs)) return refusedCase(name, "Its inputs are not an object.");
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

/** A case of the playground that cannot become a row. */
export function refusedCase(name: string, reason: string): Candidate {
  return { kind: "refused", name, reason, source: null };
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
