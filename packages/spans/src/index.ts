// The shipped prices are apart, in @agate/spans/prices: 100 KB that not everyone needs.
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
export { nestedRecordsText } from "./record/nested-records-text.ts";
export type { StoredSpan } from "./record/stored-span.ts";
export type { SpanMapperOptions } from "./record/to-stored-span.ts";
export { createSpanMapper } from "./record/to-stored-span.ts";
export type { SpanTree } from "./span-tree/build-tree.ts";
export { buildTree } from "./span-tree/build-tree.ts";
export {
  AFTER_LISTED_TOTAL,
  AFTER_TOTAL,
  betweenRecords,
  closingText,
  totalText,
} from "./span-tree/record-text.ts";
export type { ReportedFigures, SpanNode, SpanNodes } from "./span-tree/span-node.ts";
export { withoutNoise } from "./span-tree/sum-figures.ts";
