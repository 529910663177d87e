import type { SpanStatus } from "@agate/protocol";
import type { Tone } from "../design/tone.ts";

export type StatusLook = { readonly tone: Tone; readonly label: string };

const LOOKS: Record<Exclude<SpanStatus, "UNSET">, StatusLook> = {
  OK: { tone: "success", label: "OK" },
  ERROR: { tone: "danger", label: "Error" },
};

const CANCELLED: StatusLook = { tone: "warning", label: "Cancelled" };

/**
 * How the status of a span is shown; null where it is not set.
 *
 * @param isCancelled OpenTelemetry has no status for a cancelled span.
 */
export function statusLook(status: SpanStatus, isCancelled: boolean): StatusLook | null {
  if (status !== "UNSET") return LOOKS[status];
  return isCancelled ? CANCELLED : null;
}
