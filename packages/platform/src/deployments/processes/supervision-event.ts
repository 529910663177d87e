import type { StartFailure } from "../build-process.ts";

/** What becomes of an application's processes, for its log. */
export type SupervisionEvent =
  /** It answers, and new requests go to it. */
  | { readonly kind: "serving"; readonly build: number; readonly pid: number }
  /** It ended by itself; `inMs`: when it is started again. */
  | {
      readonly kind: "crashed";
      readonly build: number;
      readonly reason: string;
      readonly log: readonly string[];
      readonly inMs: number;
    }
  | {
      readonly kind: "start-failed";
      readonly build: number;
      readonly failure: StartFailure;
      readonly inMs: number;
    }
  /** Another took its place; `leases` requests are still with it. */
  | { readonly kind: "draining"; readonly build: number; readonly leases: number }
  /** It was replaced or not wanted any more, and has ended; `brokenOff` requests were still with it. */
  | { readonly kind: "stopped"; readonly build: number; readonly brokenOff: number };

/** An event as one sentence, as the application's log shows it. */
export function describeSupervision(event: SupervisionEvent): string {
  switch (event.kind) {
    case "serving":
      return `Serving, as process ${event.pid}.`;
    case "crashed":
      return `Crashed. ${event.reason} It is started again ${soon(event.inMs)}.`;
    case "start-failed":
      return `Could not be started. ${event.failure.reason} It is tried again ${soon(event.inMs)}.`;
    case "draining":
      return `Replaced; ${requests(event.leases)} still running.`;
    case "stopped":
      return event.brokenOff === 0
        ? "Stopped."
        : `Stopped; ${requests(event.brokenOff)} broken off, for having taken too long.`;
  }
}

/** "at once", "in 2.5 s" */
export function soon(milliseconds: number): string {
  return milliseconds === 0 ? "at once" : `in ${(milliseconds / 1000).toFixed(1)} s`;
}

function requests(count: number): string {
  return count === 1 ? "1 request is" : `${count} requests are`;
}
