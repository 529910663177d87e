import {
  type EnvironmentName,
  includesScope,
  reachesEnvironment,
  type Scope,
} from "@agate/protocol";
import type { Revocation } from "./revocation.ts";

/** The sender of a request, and its permissions. */
export interface Caller {
  /** The id of the only project that it can access. */
  readonly project: string;
  /** Its name in histories: that of its key, or {@link OPERATOR_NAME}. */
  readonly name: string;
  /** See `includesScope` for what `admin` holds. */
  readonly scopes: ReadonlySet<Scope>;
  /** The environments that its key is limited to: `staging`, `support/staging`; null: no limit. */
  readonly environments: ReadonlySet<string> | null;
  /** The id of its key; null without a key, and for keys that the platform issues to its own programs. */
  readonly keyId: string | null;
  /**
   * Whether it came without a key to a server that listens on this machine only: it runs the
   * platform, and may choose the project and make new ones.
   */
  readonly isOperator: boolean;
  /** Of a build that the platform runs: what it is, and where. It gets the configuration of just this pair. */
  readonly pair?: {
    readonly environmentId: string;
    readonly buildId: string;
    /** Its number, which its spans are marked with. */
    readonly build: number;
  };
  /** Of its key, or its session: answers to it end then. Absent where there is no key. */
  readonly revocation?: Revocation;
}

/** The name of callers without a key. No key can have it. */
export const OPERATOR_NAME = "local";

/**
 * What a route requires of its caller. `public`: nothing, not even a key. `operator`:
 * {@link Caller.isOperator}. A list: one of these scopes.
 */
export type Access = Scope | readonly [Scope, ...Scope[]] | "public" | "operator";

export function may(caller: Caller, access: Exclude<Access, "public">): boolean {
  if (access === "operator") return caller.isOperator;
  if (typeof access === "string") return includesScope(caller.scopes, access);
  return access.some((scope) => includesScope(caller.scopes, scope));
}

/**
 * Whether its key may run, deploy to, configure or promote into an environment. Scopes are asked apart.
 *
 * @example
 * mayIn(caller, { application: { slug: "support" }, slug: "production" });
 */
export function mayIn(caller: Caller, environment: EnvironmentName): boolean {
  return reachesEnvironment(caller.environments, environment);
}
