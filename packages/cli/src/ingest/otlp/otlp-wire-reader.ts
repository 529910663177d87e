import { RepeatedId } from "./repeated-id.ts";
import { RepeatedText } from "./repeated-text.ts";
import { WireReader } from "./wire-reader.ts";

/** A wire reader for one request that does not decode again what repeats from span to span. */
export class OtlpWireReader extends WireReader {
  readonly #texts = new RepeatedText();
  readonly #traceIds = new RepeatedId();
  readonly #parentSpanIds = new RepeatedId();

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
