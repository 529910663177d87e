import { hash } from "node:crypto";

/** Texts that are remembered, of all traces together: some megabytes. */
export const MOST_KNOWN = 50_000;
/** A longer text is remembered by its hash, which is longer than this. */
const LONGEST_WHOLE = 40;

/**
 * The texts that are indexed of recent traces, so that each is indexed once. What is forgotten is indexed again
 * when it comes again: that takes room, and finds nothing else.
 */
export class KnownTexts {
  readonly #most: number;
  /** The traces that were asked for last are last. */
  readonly #traces = new Map<number, Set<string>>();
  #count = 0;
  #newest: number | undefined;

  /** @param most Tests use fewer. */
  constructor(most = MOST_KNOWN) {
    this.#most = most;
  }

  /** Remembers a text of a trace. @returns Whether it was not known. */
  add(traceNo: number, text: string): boolean {
    const own = this.#textsOf(traceNo);
    const key = text.length <= LONGEST_WHOLE ? text : hash("sha256", text, "base64");
    if (own.has(key)) return false;
    if (this.#count >= this.#most) this.#forgetOldest();
    this.#textsOf(traceNo).add(key);
    this.#count++;
    return true;
  }

  forget(traceNo: number): void {
    this.#count -= this.#traces.get(traceNo)?.size ?? 0;
    this.#traces.delete(traceNo);
    this.#newest = undefined;
  }

  forgetAll(): void {
    this.#traces.clear();
    this.#count = 0;
    this.#newest = undefined;
  }

  #textsOf(traceNo: number): Set<string> {
    const known = this.#traces.get(traceNo);
    if (known !== undefined && traceNo === this.#newest) return known;
    const own = known ?? new Set<string>();
    this.#traces.delete(traceNo);
    this.#traces.set(traceNo, own);
    this.#newest = traceNo;
    return own;
  }

  #forgetOldest(): void {
    const [oldest] = this.#traces.keys();
    if (oldest !== undefined) this.forget(oldest);
  }
}
