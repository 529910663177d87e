import { AGATE_ATTRIBUTES } from "../agate-attributes.ts";
import { isRecord } from "../json-value.ts";
import type { ListedSpan } from "../span-record.ts";

/** What a row takes from a recorded call, or why it can take nothing. */
export type SpanCase =
  | {
      readonly kind: "case";
      /** Its path as declared. */
      readonly route: string;
      readonly inputs: Readonly<Record<string, unknown>>;
      readonly output: unknown;
      /** Why the output cannot be the expected value; null if it can. */
      readonly outputProblem: string | null;
    }
  | { readonly kind: "refused"; readonly reason: string };

/** A recorded call as a case. What was redacted or cut off cannot be repeated. */
export function spanCase({ content, metadata }: ListedSpan): SpanCase {
  const route = metadata.attributes[AGATE_ATTRIBUTES.route];
  const refused = (reason: string): SpanCase => ({ kind: "refused", reason });
  if (typeof route !== "string") return refused("Not a call of a route.");
  if (metadata.redacted === true) return refused("Redacted: parts of it were not recorded.");
  const { inputs, outputs: output } = content;
  if (isTruncated(inputs)) return refused("Truncated: the inputs were cut off when recorded.");
  if (!isRecord(inputs)) return refused("No inputs recorded.");
  if (hasSecret(inputs)) return refused("Redacted: a secret in the inputs was not recorded.");
  return { kind: "case", route, inputs, output, outputProblem: outputProblemOf(output) };
}

function outputProblemOf(output: unknown): string | null {
  if (output === null || output === undefined) return "No output recorded.";
  if (isTruncated(output)) return "Truncated: the output was cut off when recorded.";
  return hasSecret(output) ? "Redacted: a secret in the output was not recorded." : null;
}

/** As the SDK records a value beyond its limit: the beginning of it, marked. */
function isTruncated(value: unknown): boolean {
  if (!isRecord(value) || value.truncated !== true || !("start" in value)) return false;
  return typeof value.limit === "number" || typeof value.chunks === "number";
}

/** What the SDK puts in place of `ag.secret(NAME)`. All else that is hidden marks the span as redacted. */
const SECRET = /\[secret:[^[\]]+\]/;

function hasSecret(value: unknown): boolean {
  return SECRET.test(JSON.stringify(value));
}
