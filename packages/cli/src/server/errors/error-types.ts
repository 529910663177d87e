/** How an error type appears to clients. */
export interface ErrorTypeInfo {
  readonly status: number;
  /** For docs/reference/errors.md and the OpenAPI document. */
  readonly meaning: string;
  /**
   * `given`: whoever reports the error writes the message, for the client to read. `fixed`: the
   * client only ever sees this sentence, and the details go to the log.
   */
  readonly message: { readonly kind: "given" } | { readonly kind: "fixed"; readonly text: string };
}

const given = { kind: "given" } as const;

/**
 * Every error the platform answers with. A type is a promise to clients: it is never renamed.
 * docs/reference/errors.md lists them, compared by a test.
 */
export const ERROR_TYPES = {
  request_malformed: {
    status: 400,
    meaning: "The request is not HTTP that the server understands.",
    message: given,
  },
  body_undecodable: {
    status: 400,
    meaning: "The body is not what its content type or encoding says.",
    message: given,
  },
  host_not_allowed: {
    status: 403,
    meaning:
      "The server listens on this machine only, and the `Host` header names another. Protects against DNS rebinding.",
    message: given,
  },
  origin_not_allowed: {
    status: 403,
    meaning: "A page from another site sent the request to a server that listens locally.",
    message: given,
  },
  route_not_found: { status: 404, meaning: "There is nothing at this path.", message: given },
  trace_not_found: { status: 404, meaning: "No trace has this id.", message: given },
  span_not_found: { status: 404, meaning: "No span has this id.", message: given },
  method_not_allowed: {
    status: 405,
    meaning: "The path exists, but not for this method; `Allow` names those it has.",
    message: given,
  },
  request_timeout: {
    status: 408,
    meaning: "The request took too long to arrive.",
    message: given,
  },
  body_too_large: {
    status: 413,
    meaning: "The body is larger than the limit.",
    message: given,
  },
  decompressed_body_too_large: {
    status: 413,
    meaning: "The body is larger than the limit once decompressed.",
    message: given,
  },
  content_type_unsupported: {
    status: 415,
    meaning: "The path does not take bodies of this content type.",
    message: given,
  },
  content_encoding_unsupported: {
    status: 415,
    meaning: "The body is compressed in a way the server does not know.",
    message: given,
  },
  expectation_failed: {
    status: 417,
    meaning: "The `Expect` header asks for something other than `100-continue`.",
    message: given,
  },
  id_invalid: {
    status: 422,
    meaning: "An id is 1 to 128 characters from `A-Z a-z 0-9 _ -`.",
    message: given,
  },
  value_not_allowed: {
    status: 422,
    meaning: "The parameter takes one of a few values, and this is none of them.",
    message: given,
  },
  number_invalid: { status: 422, meaning: "The parameter takes a number.", message: given },
  out_of_range: {
    status: 422,
    meaning: "The number is too small or too large.",
    message: given,
  },
  date_time_invalid: {
    status: 422,
    meaning: "The parameter takes an ISO 8601 date, or date and time with `Z` or an offset.",
    message: given,
  },
  time_range_invalid: { status: 422, meaning: "`from` is not before `to`.", message: given },
  interval_invalid: {
    status: 422,
    meaning: "The parameter takes a whole number of `s`, `m`, `h` or `d`, such as `5m`.",
    message: given,
  },
  too_many_buckets: {
    status: 422,
    meaning: "The time range holds too many intervals for one answer.",
    message: given,
  },
  cursor_invalid: {
    status: 422,
    meaning: "The cursor is not one that this list returned.",
    message: given,
  },
  text_too_long: {
    status: 422,
    meaning: "The parameter's text is longer than the limit.",
    message: given,
  },
  ingest_busy: {
    status: 429,
    meaning: "Too much waits to be written; nothing of the body was kept. See `Retry-After`.",
    message: given,
  },
  headers_too_large: {
    status: 431,
    meaning: "The request's headers are larger than the limit.",
    message: given,
  },
  internal_error: {
    status: 500,
    meaning: "A fault of the server. The log has the details.",
    message: { kind: "fixed", text: "The server failed to answer. Its log has the details." },
  },
  store_unavailable: {
    status: 503,
    meaning: "Nothing can be written now; nothing of the request was kept. See `Retry-After`.",
    message: {
      kind: "fixed",
      text: "Nothing can be written now; nothing of the request was kept. Try again later.",
    },
  },
  shutting_down: {
    status: 503,
    meaning: "The server is stopping. See `Retry-After`.",
    message: { kind: "fixed", text: "The server is shutting down." },
  },
} as const satisfies Record<string, ErrorTypeInfo>;

export type ErrorType = keyof typeof ERROR_TYPES;
