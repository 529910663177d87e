import type { SpanRecord } from "@agate/protocol";
import type { SpanNode, SpanTree } from "./span-tree.ts";

/** Finds spans by their words. */
export interface SpanIndex {
  /** The spans that have this text somewhere, upper or lower case, in their order. */
  find(text: string): readonly SpanNode[];
}

/** Reads every span once, when it is first asked for something. */
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
  // A stack, not recursion: content may be nested deeper than calls can be.
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
