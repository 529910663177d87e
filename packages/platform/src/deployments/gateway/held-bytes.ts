const BLOCK_BYTES = 64 * 1024;

/**
 * Bytes that wait to be sent. They are copied into blocks: a client may send a body byte by byte, and
 * each chunk of Node's costs a hundred times as much as its byte.
 */
export class HeldBytes {
  #blocks: Buffer[] = [];
  /** Of the last block. */
  #used = BLOCK_BYTES;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  append(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#used === BLOCK_BYTES) {
        this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
        this.#used = 0;
      }
      const part = rest.subarray(0, BLOCK_BYTES - this.#used);
      (this.#blocks.at(-1) as Buffer).set(part, this.#used);
      this.#used += part.length;
      rest = rest.subarray(part.length);
    }
  }

  /** Takes the first block away; undefined where nothing is left. */
  shift(): Buffer | undefined {
    const block = this.#blocks.shift();
    if (block === undefined) return undefined;
    const isLast = this.#blocks.length === 0;
    const bytes = isLast ? block.subarray(0, this.#used) : block;
    if (isLast) this.#used = BLOCK_BYTES;
    this.#bytes -= bytes.length;
    return bytes;
  }

  clear(): void {
    this.#blocks = [];
    this.#used = BLOCK_BYTES;
    this.#bytes = 0;
  }
}
