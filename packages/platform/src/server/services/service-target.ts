/** What a request for a workflow asks for. */
export interface ServiceTarget {
  /** The application, by slug or id. */
  readonly application: string;
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
    const [, application = "", path = "", query = ""] = match;
    return { application: decoded(application), path: `${path === "" ? "/" : path}${query}` };
  }
  if (rootApplication === null || !WORKFLOW.test(target)) return undefined;
  return { application: rootApplication, path: target };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // No name has a lone percent sign in it: it will not be found.
    return segment;
  }
}
