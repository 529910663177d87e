import type { ServerResponse } from "node:http";
import type { Caller } from "../access/caller.ts";

/** A stream may go on for days: it must not outlive the key that it was opened with. */
export function breakOffWhenRevoked(caller: Caller | undefined, outgoing: ServerResponse): void {
  const revoked = caller?.revoked;
  if (revoked === undefined) return;
  const breakOff = () => outgoing.destroy();
  revoked.addEventListener("abort", breakOff);
  outgoing.once("close", () => revoked.removeEventListener("abort", breakOff));
  if (revoked.aborted) breakOff();
}
