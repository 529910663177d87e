import { includesScope, type Scope } from "@agate/protocol";

/** Who sends a request, and what it may do. */
export interface Caller {
  /** The id of the one project that it sees. */
  readonly project: string;
  /** What it is called in histories: the name of its key, or {@link OPERATOR_NAME}. */
  readonly name: string;
  /** See `includesScope` for what `admin` holds. */
  readonly scopes: ReadonlySet<Scope>;
  /** The id of its key; null where it has none, or one that the platform has made for itself. */
  readonly keyId: string | null;
  /**
   * Whether it came without a key to a server that listens on this machine only: it runs the
   * platform, and may choose the project and make new ones.
   */
  readonly isOperator: boolean;
  /** Fires when its key is revoked, so that streams to it end; absent where there is no key. */
  readonly revoked?: AbortSignal;
}

/** The name of whoever comes without a key. No key has it. */
export const OPERATOR_NAME = "local";

/** What a route asks of its caller. `public`: nothing, not even a key. `operator`: {@link Caller.isOperator}. */
export type Access = Scope | "public" | "operator";

export function may(caller: Caller, access: Exclude<Access, "public">): boolean {
  if (access === "operator") return caller.isOperator;
  return includesScope(caller.scopes, access);
}
