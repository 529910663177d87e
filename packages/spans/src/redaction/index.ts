// The door @agate/spans/redaction: what a project's rules hide of spans and texts.
export { checkPattern, MOST_STEPS } from "./custom-pattern.ts";
export type { ReadRules, RuleProblem } from "./read-rules.ts";
export { CUSTOM_PATTERN_NAME, readRules } from "./read-rules.ts";
export { READY_PATTERNS } from "./ready-patterns.ts";
export { type JsonRedaction, REDACTED, redactIfJson } from "./redact-json.ts";
export { redactEvent, redactSpans, type SpanRedactor } from "./redact-spans.ts";
export { Redactor } from "./redactor.ts";
export { type NamedSecret, SecretTexts } from "./secret-texts.ts";
