// A door of its own: the threads that only read do without the dialects.
export type { SpanNode, SpanNodes, SpanTree } from "./build-tree.ts";
export { buildTree, compareNodes } from "./build-tree.ts";
export { withoutNoise } from "./figure-sums.ts";
export {
  AFTER_LISTED_TOTAL,
  AFTER_TOTAL,
  betweenRecords,
  closingText,
  totalText,
} from "./record-text.ts";
export type { ReportedCall, ReportedFigures } from "./reported-figures.ts";
