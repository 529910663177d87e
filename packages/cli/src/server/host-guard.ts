import type { Problem } from "./errors/error-answer.ts";

/**
 * `loopback`: the server listens on this machine only and needs no key, so it must not be reachable
 * through a browser that a stranger's page controls. `any`: keys protect it; the cookie that browsers
 * send by themselves is guarded where it is read.
 */
export type HostPolicy = "loopback" | "any";

const HOSTNAME = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])`;
const LOOPBACK_HOST = new RegExp(`^${HOSTNAME}(?::\\d+)?$`, "i");
const LOOPBACK_ORIGIN = new RegExp(`^https?://${HOSTNAME}(?::\\d+)?$`, "i");

/** Why a request may not be served; undefined when it may. */
export function checkHost(
  policy: HostPolicy,
  host: string | undefined,
  origin: string | undefined,
): Problem | undefined {
  if (policy === "any") return undefined;
  if (host === undefined || !LOOPBACK_HOST.test(host)) {
    return {
      type: "host_not_allowed",
      loc: ["header", "host"],
      msg: "This server listens on this machine only: call it as localhost, 127.0.0.1 or [::1].",
    };
  }
  if (origin !== undefined && !LOOPBACK_ORIGIN.test(origin)) {
    return {
      type: "origin_not_allowed",
      loc: ["header", "origin"],
      msg: "This server listens on this machine only and does not answer pages from elsewhere.",
    };
  }
  return undefined;
}

/** The policy for a server that listens on this address. */
export function hostPolicyFor(address: string): HostPolicy {
  const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(address);
  return isLoopback ? "loopback" : "any";
}
