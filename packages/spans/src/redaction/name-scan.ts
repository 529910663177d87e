import type { Attributes, AttributeValue, OtlpSpan } from "../otlp-span.ts";
import type { KeyMatcher } from "./key-matcher.ts";

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
