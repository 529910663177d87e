// The door @agate/spans/redaction: what a project's rules hide of spans and texts.
export { checkPattern, MOST_STEPS } from "./custom-pattern.ts";
export { isCardNumber, LONGEST_CARD, SHORTEST_CARD } from "./find-cards.ts";
export { containsIban } from "./find-ibans.ts";
export { NameScan } from "./key-matcher.ts";
export type { ReadRules, RuleProblem } from "./read-rules.ts";
export { readRules } from "./read-rules.ts";
export { READY_PATTERNS } from "./ready-patterns.ts";
export { type JsonRedaction, REDACTED, redactIfJson } from "./redact-json.ts";
export { redactOrigin, redactSpan } from "./redact-span.ts";
export { Redactor } from "./redactor.ts";
export { type RedactionSigns, signsOf } from "./signs.ts";
