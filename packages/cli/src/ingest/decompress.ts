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
