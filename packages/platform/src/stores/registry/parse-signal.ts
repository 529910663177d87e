import type { RegistrySignal } from "./registry-signals.ts";

/**
 * A signal as PostgreSQL's triggers write it. What is not understood may mean anything: a newer Agate
 * may have added it, and uses the same database while replicas are upgraded one by one.
 *
 * @example parseSignal("config app_1") // { kind: "config", applicationId: "app_1" }
 */
export function parseSignal(payload: string): RegistrySignal {
  const [kind, applicationId, ...more] = payload.split(" ");
  if (kind === "access" && applicationId === undefined) return { kind };
  const isOfApplication = kind === "config" || kind === "builds";
  return isOfApplication && applicationId && more.length === 0
    ? { kind, applicationId }
    : { kind: "everything" };
}
