const MARKER = Symbol.for("agate.sdk.client-error");

interface Detail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/**
 * A call that was answered with an error.
 *
 * @example
 * try {
 *   await client.summarize({ text });
 * } catch (error) {
 *   if (ClientError.isInstance(error) && error.status === 422) show(error.detail);
 * }
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  get [MARKER](): true {
    return true;
  }
  /** The answer's status; 200 for a stream that failed after it had begun. */
  readonly status: number;
  readonly detail: readonly Detail[];
  readonly traceId: string | null;
  /** Seconds after which a 429 or 503 may be tried again. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    about: {
      readonly status: number;
      readonly detail: readonly Detail[];
      readonly traceId: string | null;
      readonly retryAfter: number | null;
    },
  ) {
    super(message);
    this.status = about.status;
    this.detail = about.detail;
    this.traceId = about.traceId;
    this.retryAfter = about.retryAfter;
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is ClientError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}
