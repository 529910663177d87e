import { ENVIRONMENT_HEADER } from "../deployments/gateway/forwarded-request.ts";

/** What a request for a workflow asks for. */
export interface ServiceTarget {
  /** The application, by slug or id. */
  readonly application: string;
  /** The environment that the path names, by slug or id; null where it names none. */
  readonly environment: string | null;
  /** Path and query as the workflow gets them. */
  readonly path: string;
}

const SERVICE = /^\/services\/([^/?]+)([^?]*)(.*)$/s;
/** The contract's own paths. */
const WORKFLOW = /^\/(?:(?:playground\/)?run(?:\/[^?]*)?|generate(?:_deployed)?\/?)(?:\?.*)?$/s;

/**
 * Reads the target of a request; undefined where it is not for a workflow.
 *
 * @param rootApplication The application that answers the contract's paths without a prefix, too.
 */
export function serviceTarget(
  target: string,
  rootApplication: string | null,
): ServiceTarget | undefined {
  const match = SERVICE.exec(target);
  if (match !== null) {
    const [, name = "", path = "", query = ""] = match;
    return { ...namesIn(decoded(name)), path: `${path === "" ? "/" : path}${query}` };
  }
  if (rootApplication === null || !WORKFLOW.test(target)) return undefined;
  return { application: rootApplication, environment: null, path: target };
}

/** `support@staging`: neither slugs nor ids have an at sign in them. */
function namesIn(name: string): Pick<ServiceTarget, "application" | "environment"> {
  const at = name.indexOf("@");
  if (at < 0) return { application: name, environment: null };
  return { application: name.slice(0, at), environment: name.slice(at + 1) };
}

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    // No name has a lone percent sign in it: it will not be found.
    return segment;
  }
}

/** An environment that a request names. */
export interface NamedEnvironment {
  /** Its slug or id. */
  readonly name: string;
  /** Where the request names it. */
  readonly loc: readonly ["path" | "body", "environment"] | readonly ["header", string];
}

export function inPath(name: string): NamedEnvironment {
  return { name, loc: ["path", "environment"] };
}

export function inHeader(name: string): NamedEnvironment {
  return { name, loc: ["header", ENVIRONMENT_HEADER] };
}

export function inBody(name: string): NamedEnvironment {
  return { name, loc: ["body", "environment"] };
}
