const MARKER = Symbol.for("agate.sdk.http-error");

/**
 * Thrown by a handler to choose the answer's status itself.
 *
 * @example
 * if (document === undefined) throw new ag.HttpError(404, `There is no document ${id}.`);
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  get [MARKER](): true {
    return true;
  }
  /** 400 to 599. */
  readonly status: number;
  /** For programs; `http_error` where none was given. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: {
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`An HttpError has a status from 400 to 599, not ${status}.`);
    }
    this.status = status;
    this.type = options.type ?? "http_error";
    this.headers = options.headers ?? {};
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is HttpError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}
