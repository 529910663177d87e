const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The character codes of the digits, by what they stand for. */
const CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));
const PADDING = "=".charCodeAt(0);
/** What one call makes into a string: all that arguments may be is bounded by the stack. */
const PIECE = 8192;

/** Bytes as base64. Not every runtime this is for has a function of its own for it. */
export function base64(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    // Past the end there is nothing, which counts as zeroes.
    const three = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!;
    codes[to] = CODES[three >> 18]!;
    codes[to + 1] = CODES[(three >> 12) & 63]!;
    codes[to + 2] = CODES[(three >> 6) & 63]!;
    codes[to + 3] = CODES[three & 63]!;
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  codes.fill(PADDING, codes.length - missing);
  let text = "";
  for (let from = 0; from < codes.length; from += PIECE) {
    text += String.fromCharCode(...codes.subarray(from, from + PIECE));
  }
  return text;
}
