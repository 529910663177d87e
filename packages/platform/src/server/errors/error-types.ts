/** How an error type appears to clients. */
export interface ErrorTypeInfo {
  readonly status: number;
  /** For docs/reference/errors.md and the OpenAPI document. */
  readonly meaning: string;
  /**
   * `given`: the code that reports the error writes the message for the client. `fixed`: the
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
  key_missing: {
    status: 401,
    meaning: "The server asks for an API key and the request has none.",
    message: given,
  },
  key_invalid: {
    status: 401,
    meaning: "The API key is not one of this server's, or was revoked.",
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
    meaning:
      "A page from elsewhere sent the request: to a server that listens locally (by `Origin` or `Sec-Fetch-Site`), or with the cookie of this server's own page.",
    message: given,
  },
  scope_missing: {
    status: 403,
    meaning: "The API key may not do this: it lacks the scope.",
    message: given,
  },
  environment_not_allowed: {
    status: 403,
    meaning: "The API key is limited to environments, and the request reaches beyond them.",
    message: given,
  },
  playground_off: {
    status: 403,
    meaning: "The environment's playground is switched off.",
    message: given,
  },
  route_not_found: { status: 404, meaning: "There is nothing at this path.", message: given },
  trace_not_found: { status: 404, meaning: "No trace has this id.", message: given },
  span_not_found: { status: 404, meaning: "No span has this id.", message: given },
  project_not_found: {
    status: 404,
    meaning: "No project has this slug or id, or the API key belongs to another.",
    message: given,
  },
  key_not_found: {
    status: 404,
    meaning: "The project has no API key of this id.",
    message: given,
  },
  application_not_found: {
    status: 404,
    meaning: "No application has this slug or id.",
    message: given,
  },
  schema_not_found: {
    status: 404,
    meaning: "No workflow has told the platform yet which routes the application has.",
    message: given,
  },
  variant_not_found: {
    status: 404,
    meaning: "The application has no such variant, or it has no revision.",
    message: given,
  },
  revision_not_found: {
    status: 404,
    meaning: "The variant has no such revision.",
    message: given,
  },
  environment_not_found: {
    status: 404,
    meaning: "The application has no such environment.",
    message: given,
  },
  deployment_not_found: {
    status: 404,
    meaning: "Nothing is deployed there, or the environment has no such deployment.",
    message: given,
  },
  build_not_found: {
    status: 404,
    meaning: "The application has no such build.",
    message: given,
  },
  evaluation_not_found: {
    status: 404,
    meaning: "The build's eval files declare no such evaluation.",
    message: given,
  },
  variable_not_found: {
    status: 404,
    meaning: "The environment has no such variable.",
    message: given,
  },
  test_set_not_found: {
    status: 404,
    meaning: "No test set of the project has this slug or id.",
    message: given,
  },
  test_row_not_found: {
    status: 404,
    meaning: "No revision of the test set has a row of this id.",
    message: given,
  },
  run_not_found: {
    status: 404,
    meaning: "The project has no run of this id.",
    message: given,
  },
  service_not_found: {
    status: 404,
    meaning: "No build of the application serves it.",
    message: given,
  },
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
  backup_running: {
    status: 409,
    meaning: "Another backup is being taken.",
    message: given,
  },
  backup_elsewhere: {
    status: 409,
    meaning: "The server keeps nothing in its data directory that could be backed up.",
    message: given,
  },
  slug_taken: {
    status: 409,
    meaning: "Another of its kind has this slug.",
    message: given,
  },
  revision_stale: {
    status: 409,
    meaning: "A newer revision exists: `base_revision` is not the latest.",
    message: given,
  },
  still_live: {
    status: 409,
    meaning: "It is live, or something of it is: it cannot be deleted.",
    message: given,
  },
  not_empty: {
    status: 409,
    meaning: "It still holds something: it cannot be deleted.",
    message: given,
  },
  config_invalid: {
    status: 409,
    meaning: "A configuration that is live, or is about to be, does not satisfy the schema.",
    message: given,
  },
  deploy_superseded: {
    status: 409,
    meaning: "The server hung during the deploy, and another deploy of the application went ahead.",
    message: given,
  },
  build_missing: {
    status: 409,
    meaning: "The environment has no code: no configuration can be deployed to it.",
    message: given,
  },
  breaking_change: {
    status: 409,
    meaning: "The environment would lose values or routes that are in use.",
    message: given,
  },
  deployment_stale: {
    status: 409,
    meaning: "Another deployment is live by now than `expect` names.",
    message: given,
  },
  run_conflict: {
    status: 409,
    meaning: "Another run has this id: it was created by a different request.",
    message: given,
  },
  evaluations_missing: {
    status: 409,
    meaning: "No build of the application has eval files: there is nothing to run.",
    message: given,
  },
  run_ended: {
    status: 409,
    meaning: "The run has ended: nothing can be added to it, and it cannot end in another way.",
    message: given,
  },
  secret_key_missing: {
    status: 409,
    meaning: "The server has no key to encrypt secrets with, or cannot read it.",
    message: given,
  },
  body_too_large: {
    status: 413,
    meaning: "The body is larger than the limit.",
    message: given,
  },
  too_many_spans: {
    status: 413,
    meaning:
      "The request has more spans, or log records, than `--max-request-spans`. None was kept; exporters drop such a batch, so lower their batch size.",
    message: given,
  },
  body_too_complex: {
    status: 413,
    meaning:
      "The spans of the request would take too much memory when they are decoded: they have millions of values, or each repeats a very large resource. None was kept.",
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
  score_limit: {
    status: 422,
    meaning: "The trace has as many scores as it may have.",
    message: given,
  },
  body_invalid: {
    status: 422,
    meaning: "The body is not an object with the fields of this endpoint.",
    message: given,
  },
  environment_ambiguous: {
    status: 422,
    meaning: "The request names two environments that differ: in its path, a header or its body.",
    message: given,
  },
  slug_invalid: {
    status: 422,
    meaning: "A slug is 1 to 64 lower-case letters and digits, with single `-`, `_` or `.` inside.",
    message: given,
  },
  params_invalid: {
    status: 422,
    meaning: "The parameters do not satisfy the schema of their route.",
    message: given,
  },
  schema_invalid: {
    status: 422,
    meaning: "The document is not what a workflow answers as its `/openapi.json`.",
    message: given,
  },
  redaction_invalid: {
    status: 422,
    meaning: "Something is wrong with redaction rules; `loc` names it.",
    message: given,
  },
  variable_invalid: {
    status: 422,
    meaning: "A variable has a name or value that it cannot have; `loc` names it.",
    message: given,
  },
  test_set_invalid: {
    status: 422,
    meaning: "The test set is bound to a route that the application does not have.",
    message: given,
  },
  rows_invalid: {
    status: 422,
    meaning:
      "Rows of a test set are not what they must be, do not fit the route that it is bound to, or are too many; `loc` names them.",
    message: given,
  },
  run_invalid: {
    status: 422,
    meaning: "A run, or a case or result of it, does not fit; `loc` names what.",
    message: given,
  },
  archive_invalid: {
    status: 422,
    meaning: "The archive is not a build that `agate deploy` packs.",
    message: given,
  },
  install_failed: {
    status: 422,
    meaning: "The packages of the build could not be installed.",
    message: given,
  },
  no_room: {
    status: 409,
    meaning: "The server runs as many processes of builds as it may.",
    message: given,
  },
  build_unusable: {
    status: 422,
    meaning: "The build ended, hung or did not answer as a workflow when it was started.",
    message: given,
  },
  ingest_busy: {
    status: 429,
    meaning: "Too much waits to be written; nothing of the body was kept. See `Retry-After`.",
    message: given,
  },
  rate_limited: {
    status: 429,
    meaning: "The API key is used more often than its limit allows. See `Retry-After`.",
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
  trace_damaged: {
    status: 500,
    meaning:
      "What is stored of the trace is not what was written: its checksum differs. Other traces are not affected.",
    message: given,
  },
  service_failed: {
    status: 502,
    meaning: "The build that serves the application broke off before it answered.",
    message: given,
  },
  backup_unavailable: {
    status: 503,
    meaning: "No backup can be taken now: the disk lacks room, or a database is damaged.",
    message: given,
  },
  query_queue_full: {
    status: 503,
    meaning:
      "Too many lists or analytics wait already, or too many large traces are being read. Send the request again after `Retry-After`.",
    message: { kind: "fixed", text: "Too many queries wait already. Try again later." },
  },
  resources_exhausted: {
    status: 503,
    meaning:
      "The server has no file descriptors left. Try again after `Retry-After`; raise the limit (`ulimit -n`) if it happens often.",
    message: { kind: "fixed", text: "The server has no file descriptors left. Try again later." },
  },
  store_unavailable: {
    status: 503,
    meaning:
      "What is stored cannot be read or written now. Send the request again after `Retry-After`: what was kept after all is not doubled.",
    message: {
      kind: "fixed",
      text: "What is stored cannot be read or written now. Try again later.",
    },
  },
  service_unavailable: {
    status: 503,
    meaning:
      "The build that serves the application is being started, or too many large bodies are held until they name their environment. See `Retry-After`.",
    message: given,
  },
  not_ready: {
    status: 503,
    meaning:
      "The server should not get calls now: builds are being started, the disk is full or a database does not answer.",
    message: given,
  },
  shutting_down: {
    status: 503,
    meaning: "The server is stopping. See `Retry-After`.",
    message: { kind: "fixed", text: "The server is shutting down." },
  },
  service_timeout: {
    status: 504,
    meaning:
      "The answer of the build did not begin in time: 5 seconds after the timeout of the route, or after 10 minutes where it has none.",
    message: given,
  },
  query_timeout: {
    status: 504,
    meaning:
      "A list or analytics took longer than `--query-timeout` and was stopped. Use a shorter time range or more filters.",
    message: {
      kind: "fixed",
      text: "The query took too long and was stopped. Use a shorter time range or more filters.",
    },
  },
} as const satisfies Record<string, ErrorTypeInfo>;

export type ErrorType = keyof typeof ERROR_TYPES;
