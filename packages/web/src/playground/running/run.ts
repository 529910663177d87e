import type { SpanRecord } from "@agate/protocol";
import type { ConfigValues } from "../../config-form/config-values.ts";

/** What a call was asked. */
export interface RunRequest {
  readonly config: ConfigValues;
  readonly inputs: unknown;
  /** Where the configuration is from, for the trace: `default@3`, `default@3; edited`; null for defaults. */
  readonly variant: string | null;
}

/** What has arrived of an answer. */
export type RunOutput =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "stream"; readonly chunks: readonly unknown[] };

/** `waiting` for its turn, then `running`, then one of the others. */
export type RunStatus = "waiting" | "running" | "done" | "failed" | "stopped";

/** One call of a route: a column's configuration on a case's inputs. */
export interface Run {
  readonly status: RunStatus;
  readonly request: RunRequest;
  readonly output: RunOutput | null;
  /** Why it failed: an `ApiError` where the platform or the function has said so. */
  readonly error: Error | null;
  readonly trace: SpanRecord | null;
  /** Known from the first byte of an answer on; null where no call was begun. */
  readonly traceId: string | null;
  /** By the page's clock; null while it waits. */
  readonly startedAt: number | null;
  /** By the page's clock, for answers that come without a trace. */
  readonly elapsedMs: number | null;
  /** Characters of an output that was too long to be kept; null where it was not. */
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

/** Whether it is still going on. */
export function isUnderWay({ status }: Run): boolean {
  return status === "waiting" || status === "running";
}

/** What came out, as one value: a stream of texts is one text, as a caller without a stream gets it. */
export function outputValue(output: RunOutput): unknown {
  if (output.kind === "value") return output.value;
  const { chunks } = output;
  const isText = chunks.length > 0 && chunks.every((chunk) => typeof chunk === "string");
  return isText ? chunks.join("") : chunks;
}

/** What came out, as a text that can be compared. */
export function outputText(output: RunOutput): string {
  const value = outputValue(output);
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
