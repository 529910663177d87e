import { hash } from "node:crypto";

/** Texts that are remembered, of all traces together: some megabytes. */
export const MOST_KNOWN = 50_000;
/** A longer text is remembered by its hash, which is longer than this. */
const LONGEST_WHOLE = 40;

/**
 * The texts that are indexed of recent traces, or of parts of them, so that each is indexed once. What is forgotten is
 * indexed again when it comes again: that takes room, and finds nothing else.
 */
export class KnownTexts<Trace extends string | number> {
  readonly #most: number;
  /** The traces that were asked for last are last. */
  readonly #traces = new Map<Trace, Set<string>>();
  #count = 0;
  #newest: Trace | undefined;

  /** @param most Tests use fewer. */
  constructor(most = MOST_KNOWN) {
    this.#most = most;
  }

  /** Remembers a text of a trace. @returns Whether it was not known. */
  add(trace: Trace, text: string): boolean {
    const own = this.#textsOf(trace);
    const key = text.length <= LONGEST_WHOLE ? text : hash("sha256", text, "base64");
    if (own.has(key)) return false;
    if (this.#count >= this.#most) this.#forgetOldest();
    this.#textsOf(trace).add(key);
    this.#count++;
    return true;
  }

  forget(trace: Trace): void {
    this.#count -= this.#traces.get(trace)?.size ?? 0;
    this.#traces.delete(trace);
    this.#newest = undefined;
  }

  forgetAll(): void {
    this.#traces.clear();
    this.#count = 0;
    this.#newest = undefined;
  }

  #textsOf(trace: Trace): Set<string> {
    const known = this.#traces.get(trace);
    if (known !== undefined && trace === this.#newest) return known;
    const own = known ?? new Set<string>();
    this.#traces.delete(trace);
    this.#traces.set(trace, own);
    this.#newest = trace;
    return own;
  }

  #forgetOldest(): void {
    const [oldest] = this.#traces.keys();
    if (oldest !== undefined) this.forget(oldest);
  }
}
