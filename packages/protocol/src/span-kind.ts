/** What a span did: OpenInference's words plus `WORKFLOW` and `TASK`. */
export const SPAN_KINDS = [
  "WORKFLOW",
  "AGENT",
  "CHAIN",
  "TASK",
  "TOOL",
  "LLM",
  "EMBEDDING",
  "RETRIEVER",
  "RERANKER",
  "GUARDRAIL",
  "EVALUATOR",
  "UNKNOWN",
] as const;

/** @example const kind: SpanKind = "LLM" */
export type SpanKind = (typeof SPAN_KINDS)[number];
