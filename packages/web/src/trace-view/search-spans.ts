import type { SpanRecord } from "@agate/protocol";
import { parseSearch, type SearchTerm, searchableTexts, wordsOf } from "@agate/spans/search";
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
  const wordsIn = onceEach(nodes, wordsText);
  const hasTerm = (node: SpanNode, term: SearchTerm) =>
    mayHaveTerm(textOf(node), term) &&
    wordsIn(node).includes(` ${term.words.join(" ")}${term.isPrefix ? "" : " "}`);

  /** As a search for traces does: each word may be in another span. */
  const findWords = (search: string): readonly SpanNode[] => {
    const terms = parseSearch(search);
    if (terms.length === 0) return [];
    const withAll = nodes.filter((node) => terms.every((term) => hasTerm(node, term)));
    if (withAll.length > 0 || terms.length === 1) return withAll;
    const isFound = terms.every((term) => nodes.some((node) => hasTerm(node, term)));
    return isFound ? nodes.filter((node) => terms.some((term) => hasTerm(node, term))) : [];
  };
  return {
    find(text) {
      const wanted = text.trim().toLowerCase();
      if (wanted === "") return [];
      const byWords = new Set(findWords(text));
      return nodes.filter((node) => byWords.has(node) || textOf(node).includes(wanted));
    },
    firstHit: (search) => findWords(search)[0],
  };
}

/** What is made of a span, kept for the next search. */
function onceEach(nodes: readonly SpanNode[], make: (span: SpanRecord) => string) {
  const made: (string | undefined)[] = Array.from(nodes, () => undefined);
  return ({ index, span }: SpanNode): string => {
    const text = made[index] ?? make(span);
    made[index] = text;
    return text;
  };
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Keeps most spans of a large trace from being split into words. Letters beyond ASCII may be folded. */
function mayHaveTerm(text: string, { words }: SearchTerm): boolean {
  return NOT_ASCII.test(text) || words.every((word) => text.includes(word));
}

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
