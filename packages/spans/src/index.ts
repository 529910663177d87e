// Doors of their own have the tree, @agate/spans/tree, the words that a span is found by,
// @agate/spans/search, the 100 KB of shipped prices, @agate/spans/prices, and the list of content
// attributes, @agate/spans/content: each is loaded only by who needs it.
export type { EventContent } from "./dialects/gen-ai-events.ts";
export { eventContent, isMessageEvent } from "./dialects/gen-ai-events.ts";
export type {
  Attributes,
  AttributeValue,
  Instant,
  OtlpEvent,
  OtlpLink,
  OtlpResource,
  OtlpScope,
  OtlpSpan,
} from "./otlp-span.ts";
export type { ParsedPrices } from "./pricing/parse-prices.ts";
export { parsePrices } from "./pricing/parse-prices.ts";
export type { PriceLayer, PriceTable } from "./pricing/price-table.ts";
export { priceOf } from "./pricing/price-table.ts";
export type { StoredSpan } from "./record/stored-span.ts";
export { nestedRecordsText } from "./record/stored-span.ts";
export type { SpanMapper, SpanMapperOptions, SpanSender } from "./record/to-stored-span.ts";
export { createSpanMapper } from "./record/to-stored-span.ts";
