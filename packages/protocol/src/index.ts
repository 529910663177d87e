// Names and types only: nothing here loads zod, so worker threads may import it. Schemas: ./schemas.ts
export { AGATE_ATTRIBUTES } from "./agate-attributes.ts";
export type { ErrorBody, ErrorDetail } from "./error-body.ts";
export type { ResolvedConfig } from "./resolved-config.ts";
export type { SpanKind } from "./span-kind.ts";
export { SPAN_KINDS } from "./span-kind.ts";
export type { Figures, ListedSpan, SpanRecord, Variant } from "./span-record.ts";
export type { SpanStatus } from "./span-status.ts";
export { SPAN_STATUSES } from "./span-status.ts";
export type { Usage } from "./usage.ts";
export { USAGE_FIELDS } from "./usage-fields.ts";
