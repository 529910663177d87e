import type { LeaseToken } from "../../registry/deploy-leases.ts";
import type { ApplicationRef, Variables } from "../../registry/registry.ts";
import type { VariablesChange } from "../../registry/variables-change.ts";
import type { VariablesOutcome } from "../deployer.ts";
import type { EnvironmentHost } from "./host.ts";
import type { Refusal } from "./refusal.ts";
import { refuse, refusedByRegistry } from "./refusal.ts";

export interface VariablesChangeContext {
  readonly variables: Variables;
  /** Of the environment; undefined while this server runs nothing there. */
  readonly host: EnvironmentHost | undefined;
  readonly lease: LeaseToken | null;
  readonly signal: AbortSignal;
}

export interface EnvironmentVariablesChange {
  readonly ref: ApplicationRef;
  /** Its id. */
  readonly environment: string;
  readonly change: VariablesChange;
  readonly by: string;
}

type Changed = Extract<VariablesOutcome, { readonly kind: "changed" }>;

/**
 * Changes the variables of an environment, and restarts its live build with them: new processes are started
 * with the new values first, and if they cannot be, nothing is changed. The environment is locked.
 */
export async function changeVariables(
  { variables, host, lease, signal }: VariablesChangeContext,
  { ref, environment, change, by }: EnvironmentVariablesChange,
): Promise<Changed | Refusal> {
  const write = () => variables.change(ref, environment, change, by, lease);
  const live = host?.live;
  if (host === undefined || live === undefined) {
    const written = await write();
    if (written.kind === "refused") return refusedByRegistry(written);
    return { kind: "changed", variables: written.value.variables };
  }
  const preview = await variables.preview(ref, environment, change);
  if (preview.kind === "refused") return refusedByRegistry(preview);
  const started = await host.start(live, signal, preview.value);
  if (started.kind === "failed") {
    if (started.cause === "no-room") return refuse("no_room", ["body"], started.reason);
    const msg = `The build cannot be started with these variables, and nothing was changed. ${started.reason}`;
    return refuse("build_unusable", ["body"], msg, started.log);
  }
  let isSwitched = false;
  try {
    signal.throwIfAborted();
    const written = await write();
    if (written.kind === "refused") return refusedByRegistry(written);
    const { since, variables: changed } = written.value;
    host.switchTo({ ...live, since: since ?? live.since }, started);
    isSwitched = true;
    return { kind: "changed", variables: changed };
  } finally {
    if (!isSwitched) await started.stop(0);
  }
}
