import type { SpanRecord } from "@agate/protocol";
import type { ScoreRequest } from "@agate/protocol/evaluator";
import type { KeptTraces } from "./kept-traces.ts";
import type { PlatformTraces } from "./platform-traces.ts";

/** Where the trees of calls are. */
export interface TraceSources {
  readonly kept: KeptTraces;
  /** Undefined where no platform is set. */
  readonly platform: PlatformTraces | undefined;
}

/**
 * The tree that this process has kept, else the platform's.
 *
 * @throws Error where there is no complete tree: a score that needs one is then failed.
 */
export async function traceOfCall(
  span: ScoreRequest["span"],
  { kept, platform }: TraceSources,
  signal: AbortSignal,
): Promise<SpanRecord> {
  if (span === null) {
    throw new Error("The call has no trace: telemetry is disabled, or no platform has it.");
  }
  const { span_id: spanId, trace_id: traceId, is_stored: isStored = false } = span;
  const own = kept.read(spanId);
  if (own.kind === "kept") return own.tree;
  if (platform === undefined) {
    throw new Error(
      `The call's trace is not kept: ${own.why}. Set AGATE_BASE_URL to read it from a platform.`,
    );
  }
  return platform.read({ traceId, spanId, leastSpans: own.leastSpans, isStored }, signal);
}
