import { buildTree } from "../span-tree/build-tree.ts";
import { AFTER_TOTAL, betweenRecords, closingText, totalText } from "../span-tree/record-text.ts";
import type { StoredSpan } from "./stored-span.ts";

/**
 * A whole trace as the JSON of its top record, the others nested in it. Takes no recursion, so a
 * chain may be as long as memory allows.
 *
 * @param spans Of one trace, at least one; each id once.
 *
 * @example
 * const toStoredSpan = createSpanMapper({ prices, projectId: null });
 * const json = nestedRecordsText(spans.map(toStoredSpan));
 */
export function nestedRecordsText(spans: readonly StoredSpan[]): string {
  const tree = buildTree(spans);
  let text = "";
  let depth = 0;
  for (const node of tree.preorder) {
    const nextDepth = tree.depth[node]!;
    if (node !== tree.top) text += betweenRecords(depth, nextDepth);
    depth = nextDepth;
    text += spans[node]!.openRecord + totalText(tree.total(node)) + AFTER_TOTAL;
  }
  return text + closingText(depth);
}
