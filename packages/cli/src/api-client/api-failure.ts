import type { ErrorDetail } from "@agate/protocol";

/** Why a request did not get its answer. */
export type ApiFailureCause =
  /** The platform said no, with the error body that every refusal has. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly detail: readonly ErrorDetail[];
      readonly retryAfterSeconds: number | null;
      /** The last lines that a build printed, where it was refused for what it did. */
      readonly log: readonly string[];
      /** Of the call that was refused, where a workflow said no. */
      readonly traceId: string | null;
    }
  /** Nobody listens there. */
  | { readonly kind: "unreachable" }
  /** There is no such machine, no trust in its certificate, no way there. */
  | { readonly kind: "no-way"; readonly reason: string }
  | { readonly kind: "timed-out" }
  /** The connection ended before the answer did. */
  | { readonly kind: "broken-off" }
  /** Something answers, but not as the platform does: a proxy, another program. */
  | { readonly kind: "not-agate"; readonly status: number; readonly reason: string };

/** A request that failed. Thrown, because a command ends there, and one place tells the person. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly why: ApiFailureCause;
  /** The platform, or the workflow, that was asked. */
  readonly url: string;

  constructor(url: string, why: ApiFailureCause, options?: ErrorOptions) {
    super(`The request to ${url} failed: ${why.kind}`, options);
    this.url = url;
    this.why = why;
  }
}
