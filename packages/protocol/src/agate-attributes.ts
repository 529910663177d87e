/**
 * The attributes that the SDK writes on spans and that ingest reads back. A value marked JSON is a
 * string holding JSON text, so that what the function saw survives OTLP's attribute types.
 */
export const AGATE_ATTRIBUTES = {
  /** One of {@link SPAN_KINDS}. */
  spanKind: "ag.span.kind",
  application: "ag.application",
  variantId: "ag.variant.id",
  variantName: "ag.variant.name",
  /** An integer: 1, 2, 3 … */
  revision: "ag.variant.revision",
  /** `default@3`: the revision whose values a playground call has changed. */
  editedFrom: "ag.variant.edited_from",
  environment: "ag.environment",
  /** The path of the route that was called, on the span of the call. */
  route: "ag.route",
  /** How it was called: `playground`, `deployed`, or `direct` for a call from code. */
  origin: "ag.call.origin",
  /**
   * The id of the evaluation run that a call or a judgement belongs to. One span that names it is enough: its
   * whole trace is evaluation traffic, which lists and figures leave out unless asked.
   */
  evaluationRun: "ag.evaluation.run",
  /** The case of the run, by the id of its row. */
  evaluationCase: "ag.evaluation.case",
  /** The column of the run, such as `default@9`. */
  evaluationColumn: "ag.evaluation.column",
  /** An integer: the trial of the case, from 1. */
  evaluationTrial: "ag.evaluation.trial",
  /** True when the registry could not be asked and the last known configuration served. */
  staleConfig: "ag.config.stale",
  /** True where the client went away or the consumer left before the end. */
  cancelled: "ag.cancelled",
  /** True where the SDK's settings or the project's redaction rules have replaced or left out something. */
  redacted: "ag.redacted",
  /** JSON object. */
  config: "ag.config",
  /** JSON. */
  inputs: "ag.content.inputs",
  /** JSON. */
  internals: "ag.content.internals",
  /** JSON. */
  outputs: "ag.content.outputs",
  /** Integers, own to this span: never a sum of its children. */
  inputTokens: "ag.usage.input_tokens",
  outputTokens: "ag.usage.output_tokens",
  totalTokens: "ag.usage.total_tokens",
  cachedInputTokens: "ag.usage.cached_input_tokens",
  reasoningTokens: "ag.usage.reasoning_tokens",
  /** US dollars, own to this span. */
  cost: "ag.cost",
  userId: "user.id",
  sessionId: "session.id",
} as const;
