import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { DamagedSegmentError } from "../segments/segment-checksum.ts";

/** Below this, a frame of its own gains nothing. */
const WORTH_PACKING = 200;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Zstandard's. No JSON text begins like this, so what is packed can be told from what is not. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** JSON text as it is kept: packed with Zstandard where that makes it smaller. */
export function pack(text: Uint8Array): Uint8Array {
  if (text.length < WORTH_PACKING) return text;
  const packed = zstdCompressSync(text, OPTIONS);
  return packed.length < text.length ? packed : text;
}

/**
 * The text that was packed.
 *
 * @throws DamagedSegmentError
 */
export function unpack(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) return bytes;
  try {
    return zstdDecompressSync(bytes);
  } catch (error) {
    throw new DamagedSegmentError(null, error);
  }
}
