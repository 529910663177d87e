import { gunzipSync } from "node:zlib";

export type DecompressOutcome =
  | { readonly kind: "decompressed"; readonly bytes: Uint8Array }
  | { readonly kind: "undecodable"; readonly reason: string }
  | { readonly kind: "too-large"; readonly limit: number };

/** Undoes a request's content encoding, stopping at `limit` bytes: a bomb costs no more than that. */
export function decompress(
  body: Uint8Array,
  compression: "none" | "gzip",
  limit: number,
): DecompressOutcome {
  if (compression === "none") {
    return body.byteLength > limit
      ? { kind: "too-large", limit }
      : { kind: "decompressed", bytes: body };
  }
  try {
    return { kind: "decompressed", bytes: gunzipSync(body, { maxOutputLength: limit }) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ERR_BUFFER_TOO_LARGE") return { kind: "too-large", limit };
    if (code?.startsWith("Z_")) {
      return { kind: "undecodable", reason: "The body is not valid gzip data." };
    }
    throw error;
  }
}

/** A gzip file ends with the size of what is in it. */
const SIZE_BYTES = 4;

/**
 * How large a body says that it is when it is unpacked, for counting what waits. A body may lie, and
 * then gains nothing: it is unpacked only when there is room, up to the limit.
 */
export function declaredSize(
  body: Uint8Array,
  compression: "none" | "gzip",
  limit: number,
): number {
  const { buffer, byteOffset, byteLength } = body;
  if (compression === "none" || byteLength < SIZE_BYTES) return byteLength;
  const view = new DataView(buffer, byteOffset, byteLength);
  const declared = view.getUint32(byteLength - SIZE_BYTES, true);
  return Math.max(byteLength, Math.min(declared, limit));
}
