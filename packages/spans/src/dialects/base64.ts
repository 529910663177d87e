const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The digits' character codes. */
const CODES = Array.from(DIGITS, (digit) => digit.charCodeAt(0));
/** So many bytes at a time, a multiple of three: a call takes only so many arguments. */
const PIECE = 3072;

/** Bytes as base64. Its own, as there is no function for it that every runtime has. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += PIECE) {
    const end = Math.min(from + PIECE, bytes.length);
    const codes: number[] = [];
    for (let at = from; at < end; at += 3) {
      // What lies past the end is undefined, which a shift and an `or` take for 0.
      const three = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
      codes.push(
        CODES[three >> 18]!,
        CODES[(three >> 12) & 63]!,
        CODES[(three >> 6) & 63]!,
        CODES[three & 63]!,
      );
    }
    text += String.fromCharCode(...codes);
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return missing === 0 ? text : text.slice(0, -missing) + "=".repeat(missing);
}
