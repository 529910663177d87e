import type { Credentials } from "./access-control.ts";
import { apiKeyIn, hashApiKey } from "./api-key-text.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { KeyRing } from "./key-ring.ts";
import type { ProjectDirectory } from "./project-directory.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Of all who come with something unknown: anyone can, and must not keep the database busy. */
const RATE = { perSecond: 20, burst: 40 };

export interface NewcomerOptions {
  readonly ring: KeyRing;
  readonly keys: ApiKeys;
  readonly projects: ProjectDirectory;
  readonly reload: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Looks for a key or a project that another replica has made a moment ago, before it was told: who made
 * it may be faster here than the signal. Undefined, at once, where there is nothing to look for.
 */
export function lookUpNewcomers(
  options: NewcomerOptions,
): (credentials: Credentials) => Promise<void> | undefined {
  const { ring, keys, projects, reload, onFailed, now } = options;
  const bucket = new TokenBucket(RATE, now());

  function search({ authorization, sessionKey, project }: Credentials) {
    const header = authorization ?? (sessionKey && `Bearer ${sessionKey}`);
    if (header !== undefined && ring.find(header) === undefined) {
      const key = apiKeyIn(header);
      return key && (() => keys.lookUp(hashApiKey(key)));
    }
    return project !== undefined && projects.idOf(project) === undefined ? reload : undefined;
  }

  return (credentials) => {
    const find = search(credentials);
    if (!find || bucket.take(now()) > 0) return undefined;
    // It is taken for unknown then: who is known goes on without the database.
    return find().catch(onFailed);
  };
}
