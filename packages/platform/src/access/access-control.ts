import { DEFAULT_PROJECT_ID, SCOPES } from "@agate/protocol";
import type { Caller } from "./caller.ts";
import { OPERATOR_NAME } from "./caller.ts";
import type { HeldKey, KeyRing } from "./key-ring.ts";
import type { LastUses } from "./last-uses.ts";
import type { ProjectDirectory } from "./project-directory.ts";
import type { Sessions } from "./sessions.ts";

/**
 * `loopback`: only this machine can reach the server, and a request without a key has all rights. `keys`:
 * every request needs a key.
 */
export type AccessPolicy = "loopback" | "keys";

export interface AccessControlOptions {
  readonly policy: AccessPolicy;
  readonly ring: KeyRing;
  readonly sessions: Pick<Sessions, "find">;
  readonly projects: ProjectDirectory;
  readonly lastUses: LastUses;
  /** Called for every request with an invalid key. */
  readonly onInvalidKey: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const KEY_MISSING: Authentication = { kind: "key-missing" };
const KEY_INVALID: Authentication = { kind: "key-invalid" };
const ALL_SCOPES = new Set(SCOPES);

/** Authenticates requests by their API key or session. */
export function createAccessControl(options: AccessControlOptions): AccessControl {
  const { policy, ring, sessions, projects, lastUses, onInvalidKey, now } = options;
  const operator = operatorOf(DEFAULT_PROJECT_ID);

  function withoutKey(project: string | undefined): Authentication {
    if (policy === "keys") return KEY_MISSING;
    if (project === undefined) return operator;
    const id = projects.idOf(project);
    return id === undefined ? { kind: "project-not-found", project } : operatorOf(id);
  }

  function withKey(
    key: HeldKey | undefined,
    project: string | undefined,
    caller = key?.caller,
  ): Authentication {
    if (key === undefined || caller === undefined) {
      onInvalidKey();
      return KEY_INVALID;
    }
    const { bucket, id } = key;
    const time = now();
    const wait = bucket === null ? 0 : bucket.take(time);
    if (wait > 0) return { kind: "rate-limited", retryAfterSeconds: wait };
    if (id !== null) lastUses.note(id, time);
    // The project of another key and a missing one get the same answer.
    return project === undefined || projects.idOf(project) === caller.project
      ? { kind: "caller", caller }
      : { kind: "project-not-found", project };
  }

  function inSession(token: string, project: string | undefined): Authentication {
    const session = sessions.find(token);
    // Browsers send the cookie automatically, also after the session has ended, and that of another
    // platform on this machine. It must not lock out a caller who needs no key.
    if (session === undefined && policy === "loopback") return withoutKey(project);
    return withKey(session?.key, project, session?.caller);
  }

  return {
    authenticate({ authorization, isForeign, session, project }) {
      // Left over from another product, and no key is needed: nothing is gained by a refusal.
      if (isForeign === true && policy === "loopback") return withoutKey(project);
      // Also on a loopback address: a client that sends an invalid key must learn that it is invalid.
      if (authorization !== undefined) return withKey(ring.find(authorization), project);
      if (session !== undefined) return inSession(session, project);
      return withoutKey(project);
    },
  };
}

function operatorOf(project: string): Authentication {
  const caller: Caller = {
    project,
    name: OPERATOR_NAME,
    keyId: null,
    scopes: ALL_SCOPES,
    environments: null,
    isOperator: true,
  };
  return { kind: "caller", caller };
}

/** The credentials of a request. */
export interface Credentials {
  /** The `Authorization` header, or what another header amounts to. */
  readonly authorization: string | undefined;
  /** Whether it holds no Agate key, on a route that clients of other products call. */
  readonly isForeign?: boolean;
  /** The session token of the page's cookie. Used without an `Authorization` header. */
  readonly session?: string | undefined;
  /** The `agate-project` header: the slug or id of a project, for callers without a key. */
  readonly project: string | undefined;
}

type Authentication =
  | { readonly kind: "caller"; readonly caller: Caller }
  | { readonly kind: "key-missing" }
  /** Malformed, unknown or revoked: the answer does not tell which. */
  | { readonly kind: "key-invalid" }
  /** The header names a project that does not exist, or is not the key's. */
  | { readonly kind: "project-not-found"; readonly project: string }
  | { readonly kind: "rate-limited"; readonly retryAfterSeconds: number };

/** Authenticates every request, from memory. */
export interface AccessControl {
  authenticate(credentials: Credentials): Authentication;
}
