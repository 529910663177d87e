import { promisify } from "node:util";
import { constants, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";

// A body at rest may be a zstd frame. It is told from a plain body by its first bytes, as a plain body
// begins with the brace of a record.

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

const optionsOf = (level: number) => ({
  params: { [constants.ZSTD_c_compressionLevel]: level },
});
const FRAMES = {
  /** For a reader who waits. */
  fastest: optionsOf(1),
  /** For what is stored: 7 % smaller, for half as much time again; the next level takes twice as long. */
  smaller: optionsOf(4),
};

/** Zlib takes no smaller buffers. */
const LEAST_CHUNK = 64;
/** Longer contents are put together from several buffers. */
const MOST_CHUNK = 1024 * 1024;

/** Whether stored bytes are a zstd frame. */
export function isFrame(body: Uint8Array): boolean {
  return MAGIC.every((byte, n) => body[n] === byte);
}

/**
 * A body as a frame. Many may wait to be written, so that each takes at most half of its body's memory where it fits
 * into that, and not zlib's 16 KiB; a longer one is put together from several buffers.
 */
export function packFrame(
  body: Uint8Array,
  kind: keyof typeof FRAMES = "fastest",
): Uint8Array<ArrayBuffer> {
  const half = Math.max(body.length >> 1, LEAST_CHUNK);
  return zstdCompressSync(body, {
    ...FRAMES[kind],
    chunkSize: Math.min(half, constants.Z_DEFAULT_CHUNK),
  });
}

/**
 * The bytes that a frame was packed from, in memory of their own.
 *
 * @throws Error where it is no whole frame.
 */
export function unpackFrame(frame: Uint8Array): Uint8Array<ArrayBuffer> {
  return inOwnMemory(zstdDecompressSync(frame, { chunkSize: chunkFor(frame) }));
}

/** The same in a thread of the pool. */
export async function unpackFrameAside(frame: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return inOwnMemory(await promisify(zstdDecompress)(frame, { chunkSize: chunkFor(frame) }));
}

/** Small buffers of zlib are parts of Node's shared pool, which cannot be freed. */
function inOwnMemory(bytes: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.buffer.byteLength === Buffer.poolSize ? new Uint8Array(bytes) : bytes;
}

/**
 * One byte more than all of it: zlib asks for another buffer when the first is full. A damaged frame may say that
 * it is of gigabytes.
 */
function chunkFor(frame: Uint8Array): number {
  return Math.min(Math.max(packedLength(frame) + 1, LEAST_CHUNK), MOST_CHUNK);
}

/**
 * How many bytes a frame was packed from (RFC 8878, 3.1.1.1). Frames that were packed at once say it.
 *
 * @throws RangeError for bytes that are too short.
 */
export function packedLength(frame: Uint8Array): number {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const descriptor = view.getUint8(MAGIC.length);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const at = MAGIC.length + 1 + (isSingleSegment ? 0 : 1);
  switch (descriptor >> 6) {
    case 0:
      return view.getUint8(at);
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
