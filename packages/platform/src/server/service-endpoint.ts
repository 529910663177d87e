import type { Access } from "../access/caller.ts";

/**
 * Which of a workflow's endpoints a request is for. `playground`: with a configuration of the caller's.
 * `deployed`: with the deployed one. `description`: its OpenAPI document or health check. `other`: a
 * path of the program's own.
 */
export type ServiceEndpoint = "playground" | "deployed" | "description" | "other";

/** What a call of each endpoint requires. */
export const ENDPOINT_ACCESS = {
  playground: "playground",
  deployed: "run",
  description: ["run", "playground"],
  other: "run",
} as const satisfies Record<ServiceEndpoint, Access>;

const PLAYGROUND = /^\/playground\/run(?:\/|$)|^\/generate\/?$/;
const DEPLOYED = /^\/run(?:\/|$)|^\/generate_deployed\/?$/;
const DESCRIPTION = /^\/(?:openapi\.json|health)\/?$/;

/**
 * Reads the endpoint from a path as the workflow gets it, query included. Servers differ in how they read
 * escapes, empty and dot segments: a path with any of them is the playground's if it names it at all, so
 * that no spelling reaches the playground without its scope.
 */
export function serviceEndpoint(target: string): ServiceEndpoint {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (PLAYGROUND.test(path) || (!PLAIN.test(path) && namesPlayground(path))) return "playground";
  if (DEPLOYED.test(path)) return "deployed";
  return DESCRIPTION.test(path) ? "description" : "other";
}

/** Read the same by every server: no escapes, no empty segments, no dot segments. */
const PLAIN = /^(?:\/(?!\.{1,2}(?:\/|$))[^/%\\]+)*\/?$/;

function namesPlayground(path: string): boolean {
  const decoded = path.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded.split(/[/\\]/).some((each) => each === "playground" || each === "generate");
}
