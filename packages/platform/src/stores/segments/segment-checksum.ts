import { crc32 } from "node:zlib";

// A header begins with a seal: the letter c and three CRC-32 in hexadecimal, of the trace's id, of the
// body, and of the header itself (the two before it included). Headers from before there were seals
// are JSON from their first character on: these segments are read without a check.

/** The stored data of a trace differs from what was written. */
export class DamagedSegmentError extends Error {
  override readonly name = "DamagedSegmentError";
  /** Where the reader knows it. */
  readonly traceId: string | null;

  constructor(traceId: string | null, cause?: unknown) {
    super(
      `What is stored of ${traceId === null ? "a trace" : `the trace ${traceId}`} is damaged. Run \`agate check\`, and restore it from a backup.`,
      { cause },
    );
    this.traceId = traceId;
  }
}

const MARK = "c";
const DIGITS = 8;
/** As far as a body is checked by it: the header's own checksum follows. */
export const BODY_SEAL_LENGTH = MARK.length + 2 * DIGITS;
const SEAL_LENGTH = BODY_SEAL_LENGTH + DIGITS;
/** How every header without a seal begins. */
const UNSEALED = '[["';

/** @param json The header's own text. */
export function sealHeader(json: string, body: Uint8Array, traceId: string): string {
  const seal = bodySeal(body, traceId);
  return seal + hex(crc32(json, crc32(seal))) + json;
}

/**
 * The header's own text.
 *
 * @throws DamagedSegmentError
 */
export function unsealHeader(header: string): string {
  if (header.startsWith(UNSEALED)) return header;
  const seal = header.slice(0, BODY_SEAL_LENGTH);
  const json = header.slice(SEAL_LENGTH);
  if (header.slice(BODY_SEAL_LENGTH, SEAL_LENGTH) !== hex(crc32(json, crc32(seal)))) {
    throw new DamagedSegmentError(null);
  }
  return json;
}

/**
 * Checks that a body was written with this header, for this trace.
 *
 * @param header At least its first {@link BODY_SEAL_LENGTH} characters.
 * @throws DamagedSegmentError
 */
export function checkBody(header: string, body: Uint8Array, traceId: string): void {
  if (header.startsWith(UNSEALED)) return;
  if (!header.startsWith(bodySeal(body, traceId))) throw new DamagedSegmentError(traceId);
}

/** What {@link bodySum} gives for a header without a seal. */
export const UNSEALED_BODY = -1;

/** The checksum of the body that a header was written with. */
export function bodySum(header: string): number {
  if (header.startsWith(UNSEALED)) return UNSEALED_BODY;
  return Number.parseInt(header.slice(MARK.length + DIGITS, BODY_SEAL_LENGTH), 16);
}

/**
 * Checks that a header was written for this trace.
 *
 * @throws DamagedSegmentError
 */
export function checkTrace(header: string, traceId: string): void {
  if (header.startsWith(UNSEALED)) return;
  if (!header.startsWith(MARK + hex(crc32(traceId)))) throw new DamagedSegmentError(traceId);
}

/** The same error with the trace's id, where it was not known when it was thrown. */
export function withTraceId(error: DamagedSegmentError, traceId: string): DamagedSegmentError {
  return error.traceId === null ? new DamagedSegmentError(traceId, error.cause) : error;
}

/** Reads something of a trace; an error because of damage names the trace. */
export function readingTrace<Value>(traceId: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof DamagedSegmentError ? withTraceId(error, traceId) : error;
  }
}

/** {@link checkBody} where the trace's id is not at hand. */
export function checkBodyOnly(header: string, body: Uint8Array): void {
  if (header.startsWith(UNSEALED)) return;
  const sum = header.slice(MARK.length + DIGITS, BODY_SEAL_LENGTH);
  if (header[0] !== MARK || sum !== hex(crc32(body))) throw new DamagedSegmentError(null);
}

function bodySeal(body: Uint8Array, traceId: string): string {
  return MARK + hex(crc32(traceId)) + hex(crc32(body));
}

function hex(sum: number): string {
  return sum.toString(16).padStart(DIGITS, "0");
}
