import type { TotalFigures, Usage } from "@agate/protocol";
import { USAGE_FIELDS } from "@agate/protocol";

// A record is written once, at ingest, and never parsed again: what depends on spans that may still
// arrive (`metadata.total` and `children`) is left for last, so that answering is concatenation.
//
//   {"id":…,"metadata":{…,"total":   TOTAL   },"children":   CHILDREN   }
//   └────── open record ─────────┘           └ AFTER_TOTAL ┘
//
// In a list the record ends as `}}` after the total.

/** Between a record's total and its children. */
export const AFTER_TOTAL = '},"children":';
/** After the total of a record that is listed without its children. */
export const AFTER_LISTED_TOTAL = "}}";

/** What stands between a record's `"children":` and the next record in preorder. */
export function betweenRecords(depth: number, nextDepth: number): string {
  if (nextDepth > depth) return "[";
  return nextDepth === depth ? "null}," : `${closingText(depth - nextDepth)},`;
}

/** What ends a leaf after its `"children":`, together with this many of the records around it. */
export function closingText(levels: number): string {
  return `null}${"]}".repeat(levels)}`;
}

const NOTHING = '{"usage":null,"cost":null}';

/** The JSON of `metadata.total`. */
export function totalText(total: TotalFigures): string {
  const { usage, cost, unpriced_calls: unpriced = 0 } = total;
  if (usage === null && cost === null) return NOTHING;
  const text = `{"usage":${usage === null ? "null" : usageText(usage)},"cost":${cost}`;
  return unpriced === 0 ? `${text}}` : `${text},"unpriced_calls":${unpriced}}`;
}

/** The JSON of a usage object. */
export function usageText(usage: Usage): string {
  let text = "{";
  for (const field of USAGE_FIELDS) {
    text += `${text.length > 1 ? "," : ""}"${field}":${usage[field]}`;
  }
  return `${text}}`;
}
