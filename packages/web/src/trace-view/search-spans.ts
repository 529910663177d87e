import type { SpanRecord } from "@agate/protocol";
import { distinctTerms, type SearchTerm, searchableTexts, wordsOf } from "@agate/spans/search";
import type { SpanNode, SpanTree } from "./span-tree.ts";

/** Full-text search in the spans of a trace. */
export interface SpanIndex {
  /**
   * The spans that contain a text, ignoring case, and those that a search for its words finds, in tree order.
   */
  find(text: string): readonly SpanNode[];
  /** The first span that a search for traces finds this one by: with all words, or else with some of them. */
  firstHit(search: string): SpanNode | undefined;
}

/** Reads a span when it is first searched. */
export function indexSpans({ nodes }: SpanTree): SpanIndex {
  const textOf = onceEach(nodes, searchableText);
  const isPlain = onceEach(nodes, (_, node) => !NOT_ASCII.test(textOf(node)));
  const wordsIn = onceEach(nodes, wordsText);
  const hasTerm = (node: SpanNode, { words, isPrefix }: SearchTerm) => {
    // Keeps most spans of a large trace from being split into words. Letters beyond ASCII may be folded.
    const mayHave = !isPlain(node) || words.every((word) => textOf(node).includes(word));
    return mayHave && wordsIn(node).includes(` ${words.join(" ")}${isPrefix ? "" : " "}`);
  };

  /** What a span must have, as a search for traces has it: all words; or one, where each is in some span. */
  const matchOf = (search: string): ((node: SpanNode) => boolean) => {
    const terms = distinctTerms(search);
    const hasAll = (node: SpanNode) => terms.every((term) => hasTerm(node, term));
    if (terms.length === 0) return () => false;
    if (terms.length === 1 || nodes.some(hasAll)) return hasAll;
    const isFound = terms.every((term) => nodes.some((node) => hasTerm(node, term)));
    return (node) => isFound && terms.some((term) => hasTerm(node, term));
  };
  return {
    find(text) {
      const wanted = text.trim().toLowerCase();
      if (wanted === "") return [];
      const isMatch = matchOf(text);
      return nodes.filter((node) => textOf(node).includes(wanted) || isMatch(node));
    },
    firstHit: (search) => nodes.find(matchOf(search)),
  };
}

/** What is made of a span, kept for the next search. */
function onceEach<Made>(
  nodes: readonly SpanNode[],
  make: (span: SpanRecord, node: SpanNode) => Made,
): (node: SpanNode) => Made {
  const made: (Made | undefined)[] = Array.from(nodes, () => undefined);
  return (node) => {
    const value = made[node.index] ?? make(node.span, node);
    made[node.index] = value;
    return value;
  };
}

const NOT_ASCII = /[^\0-\x7f]/;

/** The words of each text between spaces, two of which are between two texts. */
function wordsText(span: SpanRecord): string {
  try {
    return searchableTexts(span)
      .map((text) => ` ${wordsOf(text).join(" ")} `)
      .join("");
  } catch {
    // Millions of marks on one letter: too much for the pattern. The platform does not find this span either.
    return "";
  }
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
