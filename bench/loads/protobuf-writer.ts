/** Bytes that are filled in later, and where they lie once the writer has finished. */
export interface Blank {
  readonly bytes: number;
  readonly places: number[];
}

/** Just enough of protobuf; remembers where blanks lie. */
export class ProtobufWriter {
  #buffer = Buffer.alloc(1 << 16);
  #length = 0;
  readonly #blanks: { places: number[]; at: number }[] = [];

  varint(field: number, value: number): void {
    this.#tag(field, 0);
    this.#raw(value);
  }

  double(field: number, value: number): void {
    this.#tag(field, 1);
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  /** Text, some of which every copy may fill in for itself. */
  text(field: number, ...pieces: readonly (string | Blank)[]): void {
    const sizes = pieces.map((piece) =>
      typeof piece === "string" ? Buffer.byteLength(piece) : piece.bytes,
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    this.#tag(field, 2);
    this.#raw(bytes);
    this.#reserve(bytes);
    for (const piece of pieces) {
      if (typeof piece === "string") this.#length += this.#buffer.write(piece, this.#length);
      else this.#leave(piece);
    }
  }

  /** A number of eight bytes that every copy fills in for itself. */
  fixed64(field: number, places: number[]): void {
    this.#tag(field, 1);
    this.#reserve(8);
    this.#leave({ bytes: 8, places });
  }

  /** The length goes before the content, which then moves up to make room for it. */
  message(field: number, write: () => void): void {
    this.#tag(field, 2);
    const start = this.#length;
    const firstBlank = this.#blanks.length;
    write();
    const content = Buffer.from(this.#buffer.subarray(start, this.#length));
    this.#length = start;
    this.#raw(content.length);
    const moved = this.#length - start;
    for (const blank of this.#blanks.slice(firstBlank)) blank.at += moved;
    this.#reserve(content.length);
    content.copy(this.#buffer, this.#length);
    this.#length += content.length;
  }

  finish(): Buffer {
    for (const { places, at } of this.#blanks) places.push(at);
    return this.#buffer.subarray(0, this.#length);
  }

  #leave({ bytes, places }: Blank): void {
    this.#blanks.push({ places, at: this.#length });
    this.#length += bytes;
  }

  #tag(field: number, wireType: number): void {
    this.#raw((field << 3) | wireType);
  }

  #raw(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.alloc((this.#buffer.length + bytes) * 2);
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }
}
