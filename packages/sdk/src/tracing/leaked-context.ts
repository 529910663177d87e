import { isTracingSuppressed } from "@opentelemetry/core";
import { activeContext, agateSpanIn } from "./active-context.ts";

/**
 * Whether a request arrives in a context that is not its own. Deno hands requests to `Deno.serve` in the
 * context of work that ran before: of the SDK's own requests, which are not traced, or of a call that has
 * ended. Without this check such a request would have no trace, or be part of another call's.
 */
export function isContextLeaked(): boolean {
  if (!("Deno" in globalThis)) return false;
  const active = activeContext();
  return isTracingSuppressed(active) || agateSpanIn(active)?.isRecording() === false;
}
