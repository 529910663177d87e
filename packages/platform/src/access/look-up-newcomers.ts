import type { Credentials } from "./access-control.ts";
import { apiKeyIn, hashApiKey, isSessionToken } from "./api-key-text.ts";
import type { KeyRing } from "./key-ring.ts";
import type { ProjectDirectory } from "./project-directory.ts";
import type { Sessions } from "./sessions.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Of all who come with something unknown: anyone can, and must not keep the database busy. */
const RATE = { perSecond: 20, burst: 40 };

export interface NewcomerOptions {
  readonly ring: KeyRing;
  readonly lookUpKey: (hash: string) => Promise<void>;
  readonly sessions: Pick<Sessions, "find">;
  readonly projects: ProjectDirectory;
  readonly reload: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Looks for a key, a session or a project that another replica has made a moment ago, before it was told: who made
 * it may be faster here than the signal. Undefined, at once, where there is nothing to look for.
 */
export function lookUpNewcomers(
  options: NewcomerOptions,
): (credentials: Credentials) => Promise<void> | undefined {
  const { ring, lookUpKey, sessions, projects, reload, onFailed, now } = options;
  const bucket = new TokenBucket(RATE, now());

  function search({ authorization, session, project }: Credentials) {
    if (authorization !== undefined && ring.find(authorization) === undefined) {
      const key = apiKeyIn(authorization);
      return key && (() => lookUpKey(hashApiKey(key)));
    }
    const isByCookie = authorization === undefined && session !== undefined;
    if (isByCookie && isSessionToken(session) && sessions.find(session) === undefined) {
      // Its key may be as new as the session.
      return reload;
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
