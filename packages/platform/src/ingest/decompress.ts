import { constants, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** How a request may be compressed, as `content-encoding` and `grpc-encoding` name it. */
export const COMPRESSIONS = ["gzip", "zstd", "deflate"] as const;

export type Compression = "none" | (typeof COMPRESSIONS)[number];

/** The compression that a header names; undefined if it is not supported. */
export function compressionOf(header: string | undefined): Compression | undefined {
  const name = (header ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return "none";
  return COMPRESSIONS.find((each) => each === name);
}

export type DecompressOutcome =
  | { readonly kind: "decompressed"; readonly bytes: Uint8Array }
  | { readonly kind: "undecodable"; readonly reason: string }
  | { readonly kind: "too-large"; readonly limit: number };

/** Undoes a request's content encoding, stopping at `limit` bytes: a bomb costs no more than that. */
export function decompress(
  body: Uint8Array,
  compression: Compression,
  limit: number,
): DecompressOutcome {
  if (compression === "none") {
    return body.byteLength > limit
      ? { kind: "too-large", limit }
      : { kind: "decompressed", bytes: body };
  }
  try {
    const bytes = DECOMPRESS[compression](body, limit);
    if (bytes === "several") return invalid(compression, ": it has more than one frame");
    return { kind: "decompressed", bytes };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ERR_BUFFER_TOO_LARGE") return { kind: "too-large", limit };
    if (code === WINDOW_TOO_LARGE) return invalid(compression, ": its window exceeds 8 MiB");
    if (code?.startsWith("Z_") || code?.startsWith("ZSTD_")) return invalid(compression, "");
    throw error;
  }
}

function invalid(compression: Compression, detail: string): DecompressOutcome {
  return { kind: "undecodable", reason: `The body is not valid ${compression} data${detail}.` };
}

const DECOMPRESS = {
  gzip: (body: Uint8Array, limit: number) => gunzipSync(body, { maxOutputLength: limit }),
  deflate: (body: Uint8Array, limit: number) => inflateSync(body, { maxOutputLength: limit }),
  zstd: unpackZstd,
} as const;

const WINDOW_TOO_LARGE = "ZSTD_error_frameParameter_windowTooLarge";

/**
 * A frame names the memory that unpacking it takes, up to 128 MiB unless it is limited. RFC 9659 allows
 * 8 MiB in a content encoding.
 */
const ZSTD_PARAMETERS = { [constants.ZSTD_d_windowLogMax]: 23 };

/**
 * Encoders send one frame. Node unpacks the first and drops the rest silently; unpacking each would let
 * a body of many empty ones occupy the thread.
 */
function unpackZstd(body: Uint8Array, limit: number): Uint8Array | "several" {
  const options = { params: ZSTD_PARAMETERS, maxOutputLength: limit, info: true };
  // The types do not know what `info` changes.
  const unpacked: unknown = zstdDecompressSync(body, options);
  const { buffer, engine } = unpacked as { buffer: Buffer; engine: { bytesWritten: number } };
  return engine.bytesWritten < body.byteLength ? "several" : buffer;
}

/**
 * How large a body says that it is when it is unpacked, for counting what waits; where it names no
 * size, as large as it is. A body may lie, and then gains nothing: it is unpacked only when there is
 * room, up to the limit.
 */
export function declaredSize(body: Uint8Array, compression: Compression, limit: number): number {
  const named = compression === "gzip" ? gzipSize : compression === "zstd" ? zstdSize : noSize;
  return Math.max(body.byteLength, Math.min(named(body), limit));
}

const noSize = (): number => 0;

/** A gzip file ends with the size of what is in it. */
function gzipSize({ buffer, byteOffset, byteLength }: Uint8Array): number {
  if (byteLength < 4) return 0;
  return new DataView(buffer, byteOffset, byteLength).getUint32(byteLength - 4, true);
}

/** Bytes of a field of a zstd frame's header, by the two bits that describe it (RFC 8878, 3.1.1.1). */
const SIZE_FIELD = [0, 2, 4, 8] as const;
const DICTIONARY_FIELD = [0, 1, 2, 4] as const;

/** A zstd frame begins with the size of what is in it, if its encoder knew the size. */
function zstdSize(body: Uint8Array): number {
  const descriptor = body[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const field = SIZE_FIELD[sizeFlag as 0 | 1 | 2 | 3] || (isSingleSegment ? 1 : 0);
  const dictionary = DICTIONARY_FIELD[(descriptor & 3) as 0 | 1 | 2 | 3];
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionary;
  let size = field === 2 ? 256 : 0;
  for (let i = 0; i < field; i += 1) size += (body[at + i] ?? 0) * 256 ** i;
  return size;
}
