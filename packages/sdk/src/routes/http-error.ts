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

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Beyond ASCII, Node and `Headers` encode characters differently, or refuse them. */
const UNSENDABLE = /[^\t\x20-\x7e]/;

/** Headers that describe the connection or the JSON body: another value breaks the answer. */
const RESERVED: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * A copy of the headers of an `HttpError` that can be sent as they are.
 *
 * @throws TypeError which names the header and says what is wrong with it.
 */
export function checkedHeaders(headers: unknown): Readonly<Record<string, string>> {
  if (typeof headers !== "object" || headers === null || Symbol.iterator in headers) {
    throw new TypeError(
      'The headers of an HttpError are a plain object, such as { "retry-after": "5" }. Of a Headers object, pass Object.fromEntries(headers).',
    );
  }
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const shown = JSON.stringify(name);
    if (!NAME.test(name)) {
      throw new TypeError(
        `${shown} is not the name of a header: use letters, digits and hyphens, such as "retry-after".`,
      );
    }
    if (RESERVED.has(name.toLowerCase())) {
      throw new TypeError(`An HttpError cannot set the header ${shown}: Agate sets it itself.`);
    }
    // `retry-after` is often given as a number.
    const text: unknown = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string") {
      throw new TypeError(`The header ${shown} of an HttpError is a string, not ${typeof text}.`);
    }
    if (UNSENDABLE.test(text)) {
      throw new TypeError(
        `The header ${shown} of an HttpError has a line break, a control character or a character beyond ASCII. Encode it, for example with encodeURIComponent().`,
      );
    }
    checked[name] = text;
  }
  return Object.freeze(checked);
}
