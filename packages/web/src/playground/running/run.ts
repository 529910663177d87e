import type { SpanRecord } from "@agate/protocol";
import type { ConfigValues } from "../../config-form/config-values.ts";

/** What a call sends. */
export interface RunRequest {
  readonly config: ConfigValues;
  readonly inputs: unknown;
  /** Where the configuration is from, for the trace: `default@3`, `default@3; edited`; null for defaults. */
  readonly variant: string | null;
}

/** The response so far. */
export type RunOutput =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "stream"; readonly chunks: readonly unknown[] };

/** `waiting` in the queue, then `running`, then one of the others. */
export type RunStatus = "waiting" | "running" | "done" | "failed" | "stopped";

/** One call of a route: a column's configuration on a case's inputs. */
export interface Run {
  readonly status: RunStatus;
  readonly request: RunRequest;
  readonly output: RunOutput | null;
  /** Why it failed: an `ApiError` if the platform or the workflow responded. */
  readonly error: Error | null;
  readonly trace: SpanRecord | null;
  /** Known from the response headers on; null before. */
  readonly traceId: string | null;
  /** By the page's clock; null while it is queued. */
  readonly startedAt: number | null;
  /** By the page's clock, for responses without a trace. */
  readonly elapsedMs: number | null;
  /** Characters of an output that was too long to save; null otherwise. */
  readonly leftOut: number | null;
}

export function waitingRun(request: RunRequest): Run {
  return {
    status: "waiting",
    request,
    output: null,
    error: null,
    trace: null,
    traceId: null,
    startedAt: null,
    elapsedMs: null,
    leftOut: null,
  };
}

export function isUnderWay({ status }: Run): boolean {
  return status === "waiting" || status === "running";
}

/** The output as one value: chunks of text are joined, as a caller without streaming gets them. */
export function outputValue(output: RunOutput): unknown {
  if (output.kind === "value") return output.value;
  const { chunks } = output;
  const isText = chunks.length > 0 && chunks.every((chunk) => typeof chunk === "string");
  return isText ? chunks.join("") : chunks;
}

/** The output as text, for comparisons. */
export function outputText(output: RunOutput): string {
  const value = outputValue(output);
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
