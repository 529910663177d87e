import { claimOf } from "../dialects/claims.ts";
import type { Claim } from "../dialects/dialect.ts";
import { quoted } from "../dialects/json-text.ts";

/** What is known of an attribute from its name alone. */
export interface KeyInfo {
  readonly name: string;
  /** The name as the key of a JSON object, with its colon. */
  readonly keyText: string;
  readonly claim: Claim | null;
}

// The same few names come with every span. A client that makes names up fills the table, which then
// starts anew; names too long to recur are not kept.
const MOST_KEYS = 8192;
const LONGEST_KEY = 256;

/** Remembers what is known of attribute names. */
export class KeyTable {
  readonly #known = new Map<string, KeyInfo>();

  get(name: string): KeyInfo {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const info = { name, keyText: `${quoted(name)}:`, claim: claimOf(name) };
    if (name.length <= LONGEST_KEY) {
      if (this.#known.size >= MOST_KEYS) this.#known.clear();
      this.#known.set(name, info);
    }
    return info;
  }
}
