import { SCOPES } from "@agate/protocol";
import type { AccessControl } from "./access-control.ts";

/** Access for a server that only this machine can reach and that has no keys: whoever calls may do anything. */
export function operatorAccess(project: string): AccessControl {
  const caller = { project, name: "local", scopes: new Set(SCOPES), isOperator: true };
  return { authenticate: () => ({ kind: "caller", caller }) };
}
