import type { Deployment, ServerStatus } from "@agate/protocol";

/**
 * How a server does in an environment: the worst that is true of it.
 *
 * - `crash-loop`: its processes end again and again, and it cannot answer calls.
 * - `behind`: it still runs another build than the one that is live.
 * - `switching`: the same, shortly after a deployment.
 * - `silent`: it has missed a report.
 * - `idle`: no process, as it sleeps or is being started.
 */
export type ServerCondition = "crash-loop" | "behind" | "switching" | "silent" | "idle" | "serving";

/** A server with its condition. */
export interface ServerRow extends ServerStatus {
  readonly condition: ServerCondition;
}

/** Servers report every 30 s, and start the build of a deployment within seconds. */
const LATE_MS = 60_000;

/** What each server runs in an environment, those with a problem first. */
export function serverRows(
  servers: readonly ServerStatus[],
  { slug, deployment }: { readonly slug: string; readonly deployment: Deployment | null },
): readonly ServerRow[] {
  // The clock of the platform: that of the browser may differ by minutes.
  const now = Math.max(...servers.map(({ reported_at }) => Date.parse(reported_at)));
  return servers
    .filter(({ environment }) => environment === slug)
    .map((status) => ({ ...status, condition: conditionOf(status, deployment, now) }))
    .sort((one, other) => rank(one) - rank(other) || compare(one.server, other.server));
}

function conditionOf(status: ServerStatus, live: Deployment | null, now: number): ServerCondition {
  if (status.state === "crash_loop") return "crash-loop";
  if (live !== null && status.build !== (live.build?.number ?? null)) {
    return now - Date.parse(live.deployed_at) > LATE_MS ? "behind" : "switching";
  }
  if (now - Date.parse(status.reported_at) > LATE_MS) return "silent";
  return status.state;
}

function rank({ condition }: ServerRow): number {
  return ["crash-loop", "behind", "silent", "switching"].indexOf(condition) >>> 0;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A problem that an operator has to look at, in a few words. */
export interface ServerProblem {
  readonly tone: "danger" | "warning";
  readonly text: string;
}

/** @example serverProblem(rows, 4) // { tone: "warning", text: "1 of 3 servers behind" } */
export function serverProblem(rows: readonly ServerRow[]): ServerProblem | null {
  const problem = (condition: ServerCondition, tone: ServerProblem["tone"], words: string) => {
    const count = rows.filter((row) => row.condition === condition).length;
    if (count === 0) return null;
    const servers = rows.length === 1 ? "server" : "servers";
    return { tone, text: `${count} of ${rows.length} ${servers} ${words}` };
  };
  return (
    problem("crash-loop", "danger", "in a crash loop") ??
    problem("behind", "warning", "behind") ??
    problem("silent", "warning", "silent")
  );
}
