import { checkedHeaders } from "./error-headers.ts";

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
  /** Sent with the answer, beside those that Agate sets itself. */
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @throws RangeError when the status is not from 400 to 599.
   * @throws TypeError when the type is not a string, or a header cannot be sent.
   */
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
      throw new RangeError(`An HttpError has a status from 400 to 599, not ${String(status)}.`);
    }
    const { type = "http_error", headers = {} } = options;
    if (typeof type !== "string") {
      throw new TypeError(`The type of an HttpError is a string, not ${typeof type}.`);
    }
    this.status = status;
    this.type = type;
    this.headers = checkedHeaders(headers);
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is HttpError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}
