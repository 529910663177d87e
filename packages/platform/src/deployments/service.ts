/**
 * The running code of an application, as the gateway sees it: one that stays the same while builds
 * come and go behind it.
 */
export interface Service {
  readonly application: { readonly id: string; readonly slug: string };
  /**
   * Takes the process that answers now, until the lease is given back: a process is not ended while
   * anybody has a lease of it. At once where one is ready; while the build is being started again
   * it waits for it, for a bounded time.
   */
  acquire(): Lease | Promise<Lease | ServiceUnavailable>;
}

/** A share in a running process. Give it back exactly once. */
export interface Lease {
  readonly kind: "lease";
  /** The socket (a file's path) that the process listens on. */
  readonly socketPath: string;
  /** Set by who holds it. Told when the process is to end though the request is not over: it is broken off. */
  onTimeUp?: () => void;
  /** `unreachable`: nobody listened there. The process is of no use then and is started again. */
  release(found?: "unreachable"): void;
}

export interface ServiceUnavailable {
  readonly kind: "unavailable";
  /** One sentence: "Build 3 of support has crashed and is started again in 4 s." */
  readonly reason: string;
  readonly retryAfterSeconds: number;
}
