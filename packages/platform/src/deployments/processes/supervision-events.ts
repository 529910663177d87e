import type { StartFailure } from "./start-build-process.ts";

/** A change of an application's processes, for its log. */
export type SupervisionEvent =
  /** The process answers and receives new requests. */
  | { readonly kind: "serving"; readonly build: number; readonly pid: number }
  /** The process ended unexpectedly; `inMs`: the delay of its restart. */
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
  /** It is not started: the server runs as many processes as it may. */
  | { readonly kind: "no-room"; readonly build: number; readonly reason: string }
  /** The process is blocked or too large: another one is started for new requests. */
  | {
      readonly kind: "replacing";
      readonly build: number;
      readonly pid: number;
      readonly reason: string;
    }
  /** The process that was to be replaced is well again before the other one has started. */
  | { readonly kind: "recovered"; readonly build: number; readonly pid: number }
  /** The other one could not be started: the process keeps its place. */
  | {
      readonly kind: "replacement-failed";
      readonly build: number;
      readonly pid: number;
      readonly failure: StartFailure;
    }
  /** A process that had been replaced was killed before its requests were answered. */
  | {
      readonly kind: "killed";
      readonly build: number;
      readonly pid: number;
      readonly reason: string;
    }
  /** It got no request for this long: its processes end, and the next request starts them. */
  | { readonly kind: "asleep"; readonly build: number; readonly afterMs: number }
  /** It was replaced; `leases` requests still run. */
  | { readonly kind: "draining"; readonly build: number; readonly leases: number }
  /** It was replaced or retired, and has ended; `cutOff` requests were still running. */
  | { readonly kind: "stopped"; readonly build: number; readonly cutOff: number };

/** What has happened to the processes of a build since it was activated. */
export interface ProcessHistory {
  /** How often a process had to be started anew. */
  readonly restarts: number;
  /** How a process ended last; null while none has. */
  readonly lastExit: string | null;
}

export const NO_HISTORY: ProcessHistory = { restarts: 0, lastExit: null };

export function afterEvent(before: ProcessHistory, event: SupervisionEvent): ProcessHistory {
  switch (event.kind) {
    case "crashed":
      return { restarts: before.restarts + 1, lastExit: event.reason };
    case "start-failed":
      return { restarts: before.restarts + 1, lastExit: event.failure.reason };
    case "killed":
      return { restarts: before.restarts + 1, lastExit: `It ${event.reason}, and was killed.` };
    default:
      return before;
  }
}

/** An event as one sentence, as the application's log shows it. */
export function describeSupervision(event: SupervisionEvent): string {
  switch (event.kind) {
    case "serving":
      return `Serving, as process ${event.pid}.`;
    case "crashed":
      return `Crashed. ${event.reason} Restarting ${delayText(event.inMs)}.`;
    case "start-failed":
      return `Could not be started. ${event.failure.reason} Retrying ${delayText(event.inMs)}.`;
    case "no-room":
      return `Not started. ${event.reason}`;
    case "replacing":
      return `Starting another process for new requests: process ${event.pid} ${event.reason}.`;
    case "recovered":
      return `Process ${event.pid} is well again, and keeps serving.`;
    case "replacement-failed":
      return `Process ${event.pid} could not be replaced. ${event.failure.reason}`;
    case "killed":
      return `Killed process ${event.pid}: it ${event.reason}.`;
    case "asleep":
      return `Sleeping, after ${Math.round(event.afterMs / 60_000)} min without a call. The next call starts it.`;
    case "draining":
      return `Replaced; ${requests(event.leases)} still running.`;
    case "stopped":
      return event.cutOff === 0
        ? "Stopped."
        : `Stopped; ${requests(event.cutOff)} cut off after the drain time.`;
  }
}

/** "at once", "in 2.5 s" */
export function delayText(milliseconds: number): string {
  return milliseconds === 0 ? "at once" : `in ${(milliseconds / 1000).toFixed(1)} s`;
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}
