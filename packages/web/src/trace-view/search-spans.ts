import type { SpanRecord } from "@agate/protocol";
import type { SpanNode, SpanTree } from "./span-tree.ts";

/** Full-text search in the spans of a trace. */
export interface SpanIndex {
  /** The spans that contain a text, ignoring case, in tree order. */
  find(text: string): readonly SpanNode[];
}

/** Builds the index on the first search. */
export function indexSpans({ nodes }: SpanTree): SpanIndex {
  let texts: readonly string[] | undefined;
  return {
    find(text) {
      const wanted = text.trim().toLowerCase();
      if (wanted === "") return [];
      texts ??= nodes.map(({ span }) => searchableText(span));
      return nodes.filter(({ index }) => texts![index]!.includes(wanted));
    },
  };
}

function searchableText(span: SpanRecord): string {
  const { content, config, metadata } = span;
  const parts = [span.id, span.name, span.spankind, span.status];
  for (const text of [metadata.model, metadata.status_message]) if (text) parts.push(text);
  // A stack instead of recursion: content may be nested deeper than the call stack.
  const open: unknown[] = [config, content.internals, content.outputs, content.inputs];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") parts.push(value);
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        parts.push(name);
        open.push(member);
      }
    } else if (value !== null) parts.push(String(value));
  }
  return parts.join("\n").toLowerCase();
}
