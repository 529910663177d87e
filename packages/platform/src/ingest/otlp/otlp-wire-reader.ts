import { RepeatedId } from "./repeated-id.ts";
import { RepeatedText } from "./repeated-text.ts";
import { WireReader } from "./wire-reader.ts";

/** The smallest number of 13 digits, as many as a card's has at least. */
const LONG_NUMBER = 1e12;

/** A wire reader for one request that does not decode again what repeats from span to span. */
export class OtlpWireReader extends WireReader {
  readonly #texts = new RepeatedText();
  readonly #traceIds = new RepeatedId();
  readonly #parentSpanIds = new RepeatedId();

  /** Numbers of at least 13 digits that came so far. */
  longNumbers = 0;

  noteNumber(value: number | bigint): void {
    if (value >= LONG_NUMBER) this.longNumbers++;
  }

  /** Reads a string that is likely to have come before: an attribute's key or value. */
  repeatedString(): string {
    return this.#texts.read(this);
  }

  traceId(): string {
    return this.#traceIds.read(this);
  }

  parentSpanId(): string {
    return this.#parentSpanIds.read(this);
  }
}
