import { DEFAULT_PROJECT_ID, SCOPES } from "@agate/protocol";
import type { AccessControl, Authentication } from "./access-control.ts";
import type { Caller } from "./caller.ts";
import { OPERATOR_NAME } from "./caller.ts";
import type { HeldKey, KeyRing } from "./key-ring.ts";
import type { LastUses } from "./last-uses.ts";
import type { ProjectDirectory } from "./project-directory.ts";
import type { Sessions } from "./sessions.ts";

/**
 * `loopback`: only this machine can reach the server, and who comes without a key runs it. `keys`:
 * nobody gets in without one.
 */
export type AccessPolicy = "loopback" | "keys";

export interface AccessControlOptions {
  readonly policy: AccessPolicy;
  readonly ring: KeyRing;
  readonly sessions: Pick<Sessions, "find">;
  readonly projects: ProjectDirectory;
  readonly lastUses: LastUses;
  /** Somebody sent a key that opens nothing. */
  readonly onInvalidKey: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const KEY_MISSING: Authentication = { kind: "key-missing" };
const KEY_INVALID: Authentication = { kind: "key-invalid" };
const ALL_SCOPES = new Set(SCOPES);

/** Tells who is calling, by the key they send. */
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
    // Another's project and one that is not there look the same from here.
    return project === undefined || projects.idOf(project) === caller.project
      ? { kind: "caller", caller }
      : { kind: "project-not-found", project };
  }

  function inSession(token: string, project: string | undefined): Authentication {
    const session = sessions.find(token);
    // A browser sends it by itself: after the session has ended, and that of another platform on this
    // machine. It must not lock out a caller who needs none.
    if (session === undefined && policy === "loopback") return withoutKey(project);
    return withKey(session?.key, project, session?.caller);
  }

  return {
    authenticate({ authorization, session, project }) {
      // On a loopback address too: whoever sends a wrong key believes to be somebody else.
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
    isOperator: true,
  };
  return { kind: "caller", caller };
}
