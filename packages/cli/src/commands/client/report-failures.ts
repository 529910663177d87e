import type { ErrorDetail } from "@agate/protocol";
import type { Command } from "commander";
import { UnusableName } from "../../api-client/api-client.ts";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { printableJson, printableLine, printableText } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { processOf } from "../command-process.ts";
import { CommandFailure, EXIT_CODES, WrongUsage } from "./failures.ts";

/** A failure as lines for a terminal, and as `--json` prints it. */
export interface DescribedFailure {
  /** The first begins with `agate: `. */
  readonly lines: readonly string[];
  readonly document: {
    readonly message: string;
    /** Of the response; null where there was none. */
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
      return sentence(`Can't connect to ${url}: ${why.reason}. Check the address.`, null);
    case "timed-out":
      return sentence(`${url} did not answer in time. Try again, or check its log.`, null);
    case "broken-off":
      return sentence(`${url} closed the connection before the response was complete.`, null);
    case "not-agate":
      return sentence(
        `The server at ${url} is not an Agate platform, or a proxy is in between: status ${why.status}, ${why.reason}. Check the address.`,
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
      : [`agate: Rejected for ${problems.length} reasons:`, ...problems.map((text) => `  ${text}`)];
  const hint = hintFor(detail, retryAfterSeconds);
  if (hint !== undefined) lines[lines.length - 1] += ` ${hint}`;
  if (log.length > 0) {
    lines.push("", "Last lines of the build's log:");
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
  if (types.has("key_missing")) return "Pass a key with --api-key or AGATE_API_KEY.";
  if (types.has("key_invalid")) return "Check --api-key or AGATE_API_KEY.";
  if (types.has("scope_missing")) return "Use another key with --api-key or AGATE_API_KEY.";
  if (retryAfterSeconds !== null) return `Try again in ${retryAfterSeconds} s.`;
  return undefined;
}

/** Runs a command's work and prints expected failures. Any other error is thrown on, as a bug. */
export async function reportFailures(
  command: Command,
  terminal: Terminal,
  isJson: boolean,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = fileFailure(thrown) ?? thrown;
    if (error instanceof WrongUsage || error instanceof UnusableName) {
      command.error(`error: ${error.message}`);
    }
    if (!(error instanceof ApiFailure || error instanceof CommandFailure)) throw error;
    const { lines, document } = describeFailure(error);
    if (isJson) terminal.note(printableJson(JSON.stringify({ error: document })));
    else for (const line of lines) terminal.note(line);
    processOf(command).exitCode =
      error instanceof CommandFailure ? error.exitCode : EXIT_CODES.failed;
  }
}

/** File system errors that a user can fix, with the remedy. They are not bugs, so no stack trace is printed. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied. Change its permissions, or choose another path.",
  EPERM: "permission denied. Change its permissions, or choose another path.",
  EROFS: "the disk is read-only. Choose another path.",
  ENOSPC: "the disk is full. Free some space and try again.",
  EDQUOT: "the disk is full. Free some space and try again.",
  EFBIG: "the file would exceed the file size limit. Raise the limit, or choose another path.",
};

/** Undefined where the error is not one of a file that a user can fix. */
function fileFailure(error: unknown): CommandFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  // Errors of open files have no path; errors of sockets have none either, and are not handled here.
  const what = path ?? (syscall === "write" ? "a file" : undefined);
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (what === undefined || reason === undefined) return undefined;
  return new CommandFailure(`Can't use ${what}: ${reason}`);
}
