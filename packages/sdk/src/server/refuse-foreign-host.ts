import type { Answer } from "./answer.ts";
import { callError } from "./call-error.ts";
import type { IncomingCall } from "./incoming-call.ts";
import { refusal } from "./respond.ts";

const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** Whether only this machine can reach a server that listens on this address. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname.includes(":") ? `[${hostname}]` : hostname);
}

/**
 * Protects a server that listens locally from DNS rebinding: a page on the web whose name was made
 * to point at this machine sends that name as `Host`.
 */
export function refuseForeignHost(incoming: IncomingCall): Answer | null {
  const host = incoming.header("host") ?? "";
  if (LOOPBACK.test(host.replace(/:\d+$/, ""))) return null;
  return refusal(
    callError(
      "host_not_allowed",
      ["header", "host"],
      `The workflow listens on this machine only, and ${JSON.stringify(host)} is not a name of it. Use localhost, or serve on another address: ag.serve({ hostname: "0.0.0.0" }).`,
    ),
  );
}
