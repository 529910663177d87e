import type { ErrorDetail } from "@agate/protocol";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { printableLine, printableText } from "../../terminal/printable.ts";
import type { CommandFailure } from "./failures.ts";

/** A failure as a person reads it, and as `--json` prints it. */
export interface DescribedFailure {
  /** The first begins with `agate: `. */
  readonly lines: readonly string[];
  readonly document: {
    readonly message: string;
    /** Of the answer; null where there was none. */
    readonly status: number | null;
    readonly detail: readonly ErrorDetail[];
    readonly log?: readonly string[];
    readonly trace_id?: string;
  };
}

export function describeFailure(failure: ApiFailure | CommandFailure): DescribedFailure {
  if (!(failure instanceof ApiFailure)) {
    const { lines, document } = sentence(failure.message, null);
    return { lines: [...lines, ...failure.lines], document };
  }
  const { url, why } = failure;
  switch (why.kind) {
    case "unreachable":
      return sentence(
        `No Agate platform answers at ${url}. Start one with \`agate server\`, or name another with --url.`,
        null,
      );
    case "connection-failed":
      return sentence(`${url} cannot be reached: ${why.reason}. Check the address.`, null);
    case "timed-out":
      return sentence(`${url} did not answer in time. Try again, or look at its log.`, null);
    case "broken-off":
      return sentence(`${url} broke off the connection before it had answered.`, null);
    case "not-agate":
      return sentence(
        `What answers at ${url} is not an Agate platform, or something stands in between: status ${why.status}, ${why.reason}. Check the address.`,
        why.status,
      );
    case "refused":
      return refusal(why);
  }
}

function sentence(message: string, status: number | null): DescribedFailure {
  const line = printableLine(message);
  return { lines: [`agate: ${line}`], document: { message: line, status, detail: [] } };
}

type Refused = Extract<ApiFailure["why"], { kind: "refused" }>;

function refusal({ status, detail, retryAfterSeconds, log, traceId }: Refused): DescribedFailure {
  const problems = detail.map(describeProblem);
  const lines =
    problems.length === 1
      ? [`agate: ${problems[0]}`]
      : [`agate: Refused, for ${problems.length} reasons:`, ...problems.map((text) => `  ${text}`)];
  const hint = hintFor(detail, retryAfterSeconds);
  if (hint !== undefined) lines[lines.length - 1] += ` ${hint}`;
  if (log.length > 0) {
    lines.push("", "The last lines that the build printed:");
    lines.push(...log.map((line) => `  ${printableText(line).trimEnd()}`));
  }
  if (traceId !== null) lines.push(`trace ${printableLine(traceId)}`);
  return {
    lines,
    document: {
      message: problems.join(" "),
      status,
      detail,
      ...(log.length > 0 && { log }),
      ...(traceId !== null && { trace_id: traceId }),
    },
  };
}

/** The sentence, with its place where that is not clear from the command line. */
export function describeProblem({ loc, msg, type }: ErrorDetail): string {
  // What is not there is named in the sentence.
  const place = type?.endsWith("_not_found") ? "" : placeOf(loc);
  return printableLine(place === "" ? msg : `${place}: ${msg}`);
}

/** @example placeOf(["body", "params", "/summarize", "temperature"]) // "/summarize.temperature" */
function placeOf([where, ...rest]: readonly (string | number)[]): string {
  // Names in the path are the command's own arguments; the sentence repeats them.
  if (where === "path" || where === "header") return "";
  if (where === "query") return rest.join(".");
  if (where !== "body") return [where ?? "", ...rest].join(".");
  return (rest[0] === "params" ? rest.slice(1) : rest).join(".");
}

function hintFor(
  detail: readonly ErrorDetail[],
  retryAfterSeconds: number | null,
): string | undefined {
  const types = new Set(detail.map(({ type }) => type));
  if (types.has("key_missing")) return "Give a key with --api-key or AGATE_API_KEY.";
  if (types.has("key_invalid")) return "Check --api-key or AGATE_API_KEY.";
  if (types.has("scope_missing")) return "Use another key with --api-key or AGATE_API_KEY.";
  if (retryAfterSeconds !== null) return `Try again in ${retryAfterSeconds} s.`;
  return undefined;
}
