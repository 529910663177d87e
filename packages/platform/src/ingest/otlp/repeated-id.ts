import type { WireReader } from "./wire-reader.ts";

/** Reads ids as hex. One that equals the id before it, as in the spans of a trace, costs nothing. */
export class RepeatedId {
  #start = 0;
  #length = 0;
  #hex = "";

  read(reader: WireReader): string {
    const end = reader.lengthEnd();
    const start = reader.pos;
    const length = end - start;
    if (length === this.#length) {
      const { bytes } = reader;
      const known = this.#start;
      let i = 0;
      while (i < length && bytes[known + i] === bytes[start + i]) i += 1;
      if (i === length) {
        reader.pos = end;
        return this.#hex;
      }
    }
    this.#start = start;
    this.#length = length;
    this.#hex = reader.hexTo(end);
    return this.#hex;
  }
}
