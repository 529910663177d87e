import { ApiError } from "../../api/api-error.ts";
import { isUnderWay, type Run } from "../running/run.ts";

/** A run as JSON texts, so that their lengths are its size. */
export interface PackedRun {
  /** JSON of everything but the output and the trace. */
  readonly head: string;
  /** JSON; null if there is none or it was left out. */
  readonly output: string | null;
  readonly trace: string | null;
  /** Characters of the output that was left out; null otherwise. */
  readonly leftOut: number | null;
}

interface PackedHead {
  readonly status: Run["status"];
  readonly request: Run["request"];
  readonly error: PackedError | null;
  readonly traceId: string | null;
  readonly elapsedMs: number | null;
}

type PackedError =
  | { readonly kind: "api"; readonly status: number; readonly body: unknown }
  | { readonly kind: "other"; readonly message: string };

/** Null for a run that is nested too deeply for JSON. */
export function packRun(run: Run): PackedRun | null {
  const { status, request, error, traceId, elapsedMs, leftOut } = run;
  // Closing the page ends a running call.
  const last = isUnderWay(run) ? "stopped" : status;
  const head: PackedHead = {
    status: last,
    request,
    error: error && packError(error),
    traceId,
    elapsedMs,
  };
  const packed = jsonOf(head);
  if (packed === null) return null;
  const output = run.output && jsonOf(run.output);
  return {
    head: packed,
    output,
    trace: run.trace && jsonOf(run.trace),
    leftOut: run.output !== null && output === null ? 0 : leftOut,
  };
}

export function sizeOf({ head, output, trace }: PackedRun): number {
  return head.length + (output?.length ?? 0) + (trace?.length ?? 0);
}

/** Drops the trace, then the output, until the run fits; null if it does not fit at all. */
export function fitRun(packed: PackedRun, limit: number): PackedRun | null {
  if (sizeOf(packed) <= limit) return packed;
  // The platform stores the trace, and the run has its id.
  const traceless = { ...packed, trace: null };
  if (sizeOf(traceless) <= limit) return traceless;
  if (packed.head.length > limit) return null;
  return { ...traceless, output: null, leftOut: packed.output?.length ?? packed.leftOut };
}

/** Null for a run from an incompatible version of the page. */
export function unpackRun({ head, output, trace, leftOut }: PackedRun): Run | null {
  try {
    const { error, ...rest } = JSON.parse(head) as PackedHead;
    return {
      ...rest,
      error: error && unpackError(error),
      output: output === null ? null : JSON.parse(output),
      trace: trace === null ? null : JSON.parse(trace),
      startedAt: null,
      leftOut,
    };
  } catch {
    return null;
  }
}

function packError(error: Error): PackedError {
  return error instanceof ApiError
    ? { kind: "api", status: error.status, body: error.body }
    : { kind: "other", message: error.message };
}

function unpackError(error: PackedError): Error {
  return error.kind === "api" ? new ApiError(error.status, error.body) : new Error(error.message);
}

function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    // `JSON.parse` accepts any depth, `JSON.stringify` some thousand levels.
    return null;
  }
}
