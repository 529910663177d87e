import type { Attributes, AttributeValue, OtlpSpan } from "../otlp-span.ts";

/** Says whether the value at a path is to be hidden. */
export interface KeyMatcher {
  readonly isEmpty: boolean;
  /** Whether an attribute of this name is hidden, also where the name is a flattened path. */
  hidesAttribute(name: string): boolean;
  /** Of a value inside an attribute: its keys and indexes from the top of the value. */
  hides(path: readonly string[]): boolean;
}

/**
 * Matches as the SDK's `redact` does: a name without dots at any depth, one with dots as a path from
 * the top of the value, `*` for any one step. An attribute's name counts as a path, so that `content`
 * hides `gen_ai.prompt.0.content`; Agate's own names (`ag.…`) are hidden only by their full name.
 */
export function createKeyMatcher(keys: readonly string[]): KeyMatcher {
  const names = new Set(keys.filter((key) => !key.includes(".")));
  const whole = new Set(keys);
  const paths = keys.filter((key) => key.includes(".")).map((key) => key.split("."));
  const known = new Map<string, boolean>();

  function hides(path: readonly string[]): boolean {
    return names.has(path.at(-1) ?? "") || paths.some((pattern) => isAt(pattern, path));
  }

  function hidesAttribute(name: string): boolean {
    if (whole.has(name)) return true;
    if (name.startsWith("ag.")) return false;
    const path = name.split(".");
    return path.some((step) => names.has(step)) || paths.some((p) => isAbove(p, path));
  }

  return {
    isEmpty: keys.length === 0,
    hides,
    hidesAttribute(name) {
      const before = known.get(name);
      if (before !== undefined) return before;
      const isHidden = hidesAttribute(name);
      // Names may come from users' data: the table must not grow with them.
      if (known.size >= MOST_KNOWN_NAMES) known.clear();
      known.set(name, isHidden);
      return isHidden;
    },
  };
}

const MOST_KNOWN_NAMES = 10_000;

function isAt(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && isAbove(pattern, path);
}

function isAbove(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length <= path.length &&
    pattern.every((step, index) => step === "*" || step === path[index])
  );
}

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Tells spans that have a name which keys may hide from those that have none. Much faster than looking
 * at every value: it only looks where a colon is, in attributes that may hold JSON.
 */
export class NameScan {
  readonly #keys: KeyMatcher;
  readonly #names: readonly string[];
  /** Last characters of names, by their codes up to 127; others count as being one. */
  readonly #lasts = new Uint8Array(128);

  constructor(keys: KeyMatcher, names: readonly string[]) {
    this.#keys = keys;
    this.#names = names;
    for (const name of names) {
      const last = name.charCodeAt(name.length - 1);
      if (last < 128) this.#lasts[last] = 1;
    }
  }

  mayHide({ attributes, events, links }: OtlpSpan): boolean {
    return (
      this.#inAttributes(attributes) ||
      events.some((event) => this.#inAttributes(event.attributes)) ||
      links.some((link) => this.#inAttributes(link.attributes))
    );
  }

  #inAttributes(attributes: Attributes): boolean {
    for (const [name, value] of attributes) {
      if (this.#keys.hidesAttribute(name) || this.#inValue(value)) return true;
    }
    return false;
  }

  #inValue(value: AttributeValue): boolean {
    if (typeof value === "string") return this.#inText(value);
    if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
    // Their names may be steps of a path: they are looked at closely.
    if (value instanceof Map) return value.size > 0;
    return (value as readonly AttributeValue[]).some((item) => this.#inValue(item));
  }

  #inText(text: string): boolean {
    for (let at = text.indexOf(":"); at > 0; at = text.indexOf(":", at + 1)) {
      let last = at - 1;
      while (text.charCodeAt(last) <= 32) last--;
      if (text.charCodeAt(last) !== QUOTE) continue;
      // JSON inside of JSON has backslashes before its quotes.
      do last--;
      while (text.charCodeAt(last) === BACKSLASH);
      const code = text.charCodeAt(last);
      if (code < 128 && this.#lasts[code] === 0) continue;
      if (this.#names.some((name) => text.endsWith(name, last + 1))) return true;
    }
    return false;
  }
}
