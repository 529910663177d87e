import { REDACTED, redactIfJson } from "@agate/spans/redaction";
import type { HiddenKeys, PathFilter } from "./hidden-keys.ts";

/**
 * A text without the values of hidden keys. JSON, also JSON that was cut, is read for what it is, with
 * the JSON inside its texts; in other text, what follows a key is hidden.
 *
 * @param path Where the text is.
 */
export function redactText(
  text: string,
  keys: HiddenKeys,
  hides: PathFilter,
  path: readonly string[],
): string {
  if (!keys.mayBeIn(text)) return text;
  return (
    redactIfJson(text, {
      base: path,
      hides,
      text: (inner, at) => redactText(inner, keys, hides, at),
      cut: (raw) => redactFreeText(raw, keys),
    }) ?? redactFreeText(text, keys)
  );
}

const BARE_END = /[,;&|}\])\n"'`<>]|\\["'`nrt]/g;
const WORD_END = /[\s,;&|}\])"'`<>]|\\["'`nrt]/g;
const OPENING = "{[(";
const CLOSING = "}])";

/**
 * A text that is no JSON, or JSON that was cut, without the values of hidden keys: what follows a key
 * and a colon or an equals sign, `"key": "value"` in any depth of escaping, `{ key: 'value' }`,
 * `key=value`, `key: value`. A value that does not end is hidden to the end of the text.
 */
function redactFreeText(text: string, keys: HiddenKeys): string {
  const { inText } = keys;
  let shown = "";
  let kept = 0;
  inText.lastIndex = 0;
  for (let match = inText.exec(text); match !== null; match = inText.exec(text)) {
    const [whole, quote, between] = match;
    const start = match.index + whole.length;
    const value = valueAt(text, start, between === "=" ? WORD_END : BARE_END);
    const around = value.quote ?? quote ?? "";
    shown += `${text.slice(kept, start)}${around}${REDACTED}${value.isCut ? "" : around}`;
    kept = value.end;
    inText.lastIndex = Math.max(value.end, start);
  }
  return kept === 0 ? text : shown + text.slice(kept);
}

interface FoundValue {
  readonly end: number;
  /** As it stands around a value that is a text: `"`, or `\"` in JSON inside JSON. */
  readonly quote?: string;
  /** Whether it goes to the end of the text. */
  readonly isCut: boolean;
}

function valueAt(text: string, start: number, bareEnd: RegExp): FoundValue {
  const quote = quoteAt(text, start);
  if (quote !== null) {
    const end = endOfQuoted(text, start + quote.length, quote);
    return { end: end ?? text.length, quote, isCut: end === null };
  }
  if (OPENING.includes(text.charAt(start) || " ")) {
    const end = endOfNested(text, start);
    return { end: end ?? text.length, isCut: end === null };
  }
  bareEnd.lastIndex = start;
  const end = bareEnd.exec(text)?.index ?? text.length;
  return { end, isCut: end === text.length };
}

/** A quote with the backslashes that escape it; null where there is none. */
function quoteAt(text: string, start: number): string | null {
  const at = endOfEscapes(text, start);
  const isQuote = text[at] === '"' || text[at] === "'" || text[at] === "`";
  return isQuote ? text.slice(start, at + 1) : null;
}

function endOfEscapes(text: string, start: number): number {
  let at = start;
  while (text[at] === "\\") at += 1;
  return at;
}

/**
 * Where a quoted text ends, its closing quote included; null if it does not. A quote inside it has
 * more backslashes than those around it; one with fewer ends what it is in.
 */
function endOfQuoted(text: string, start: number, quote: string): number | null {
  const sign = quote.at(-1) as string;
  const escapes = quote.length - 1;
  for (let at = text.indexOf(sign, start); at >= 0; at = text.indexOf(sign, at + 1)) {
    let before = 0;
    while (at - before > start && text[at - before - 1] === "\\") before += 1;
    if (before < escapes) return at - before;
    if ((before - escapes) % (2 * (escapes + 1)) === 0) return at + 1;
  }
  return null;
}

function endOfNested(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (OPENING.includes(character)) depth += 1;
    else if (CLOSING.includes(character)) {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else {
      const quote = quoteAt(text, at);
      const end = quote === null ? null : endOfQuoted(text, at + quote.length, quote);
      if (quote !== null && end === null) return null;
      // Past all of them at once: each is looked at only once.
      at = Math.max((end ?? endOfEscapes(text, at)) - 1, at);
    }
  }
  return null;
}
