const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const WORD_BYTES = 4;

/**
 * An id of random bytes in hex, never all zeros. `Math.random`, as OpenTelemetry's own generator: a span may be
 * started in the global scope of a worker, where `crypto` throws. That one draws for every byte, and this for every
 * four.
 */
export function randomId(bytes: 8 | 16): string {
  let id = "";
  let seen = 0;
  for (let count = 0; count < bytes; count += WORD_BYTES) {
    const word = (Math.random() * 2 ** 32) >>> 0;
    seen |= word;
    id += hexByte(word >>> 24) + hexByte(word >>> 16) + hexByte(word >>> 8) + hexByte(word);
  }
  return seen === 0 ? randomId(bytes) : id;
}

function hexByte(word: number): string {
  return HEX[word & 0xff] as string;
}
