import { crc32 } from "node:zlib";
import type { SpanNode } from "@agate/spans/tree";
import type { EntryTuple } from "./entry-tuple.ts";
import { figuresOf, figuresTuple } from "./entry-tuple.ts";
import { packTuples, unpackTuples } from "./packed-header.ts";
import { isFrame, packFrame, unpackFrame } from "./segment-frame.ts";

// A segment is one row: the spans of one trace that were committed together. Its body is their JSON
// in one blob, its header tells where each span's text lies and what the tree needs to know of it.
// A segment is either assembled (its body is the nested answer of a whole trace, complete as long as
// the trace has no other segment) or loose (open records in a row, nested when they are read). Readers
// tell the two apart by the segment itself, never by how many segments a trace has: earlier builds
// wrote traces that are a single loose segment. A body may be stored as a zstd frame; the places in its
// header are those in the plain body.

/** A span and the segment that holds it. */
export interface PlacedEntry extends SegmentEntry {
  readonly segment: number;
  /** Its place in the header, which compaction leaves as it is. */
  readonly place: number;
}

/** One span inside a segment. Offsets and lengths are bytes of the segment's body. */
export interface SegmentEntry extends SpanNode {
  readonly offset: number;
  /** Length of the open record that starts at `offset`. */
  readonly openLength: number;
  /** Length of the total that follows it, and of the whole nested record; 0 in a loose segment. */
  readonly totalLength: number;
  readonly treeLength: number;
}

/** The last byte of an open record, which ends in `"total":`; an assembled body ends in `}`. */
const COLON = 0x3a;
const BRACE = 0x7b;

/** Whether a body is the nested answer of its trace; false for one of loose records. */
export function isAssembledBody(body: Uint8Array): boolean {
  return body.at(-1) !== COLON;
}

/** Whether an entry's nested record is in the body; false in a loose segment. */
export function isAssembledEntry({ treeLength }: SegmentEntry): boolean {
  return treeLength > 0;
}

/**
 * The text of an open record.
 *
 * @throws DamagedSegmentError where there is none at this place.
 */
export function openRecordText(body: Uint8Array, offset: number, length: number): string {
  const record = body.subarray(offset, offset + length);
  if (record.length !== length || record[0] !== BRACE || record.at(-1) !== COLON) {
    throw new DamagedSegmentError(null);
  }
  return Buffer.from(record.buffer, record.byteOffset, record.length).toString();
}

const BEFORE_ID = '{"id":"';

/** The id of the span that a record is of: its first field, of characters that need no escape. */
export function spanIdIn(record: string): string {
  return record.slice(BEFORE_ID.length, record.indexOf('"', BEFORE_ID.length));
}

/**
 * Without the seal that {@link sealHeader} puts before it.
 *
 * @param entries Undefined at the place of one that compaction has dropped.
 */
export function encodeHeader(entries: readonly (SegmentEntry | undefined)[]): string {
  return JSON.stringify(entries.map((entry) => (entry === undefined ? 0 : toTuple(entry))));
}

/**
 * @param segment The row that the header is of.
 * @throws DamagedSegmentError
 */
export function decodeHeader(header: string, segment: number): PlacedEntry[] {
  const text = unsealHeader(header);
  try {
    const entries: PlacedEntry[] = [];
    for (const [place, tuple] of tuplesIn(text).entries()) {
      if (tuple !== 0) entries.push(fromTuple(tuple, segment, place));
    }
    return entries;
  } catch (error) {
    throw new DamagedSegmentError(null, error);
  }
}

/** @param text The header's own text. */
function tuplesIn(text: string): (EntryTuple | 0)[] {
  switch (text[0]) {
    case COLUMNS:
      return unpackTuples(text.slice(1));
    case PACKED_JSON:
      return JSON.parse(Buffer.from(unpackFrame(Buffer.from(text.slice(1), "base64"))).toString());
    default:
      return JSON.parse(text);
  }
}

function toTuple(entry: SegmentEntry): EntryTuple {
  return [
    entry.id,
    entry.parentId ?? 0,
    entry.start,
    entry.startNanos,
    entry.offset,
    entry.openLength,
    entry.totalLength,
    entry.treeLength,
    figuresTuple(entry.figures),
  ];
}

function fromTuple(tuple: EntryTuple, segment: number, place: number): PlacedEntry {
  return {
    segment,
    place,
    id: tuple[0],
    parentId: tuple[1] === 0 ? null : tuple[1],
    start: tuple[2],
    startNanos: tuple[3],
    offset: tuple[4],
    openLength: tuple[5],
    totalLength: tuple[6],
    treeLength: tuple[7],
    figures: tuple[8] === 0 ? null : figuresOf(tuple[8]),
  };
}

// A header begins with a seal: the letter c and three CRC-32 in hexadecimal, of the trace's id, of the
// body, and of the header itself (the two before it included). Headers from before there were seals
// are JSON from their first character on: these segments are read without a check. After the seal, the
// header is JSON, or a letter and a packed form of it: y is that of packed-header.ts, z a zstd frame in
// base64, which earlier versions wrote and what does not fit the other form is written as.

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
const COLUMNS = "y";
const PACKED_JSON = "z";
/** How every header without a seal begins. */
const UNSEALED = '[["';

/** @param text The header's own text. */
export function sealHeader(text: string, body: Uint8Array, traceId: string): string {
  const seal = bodySeal(body, traceId);
  return seal + hex(crc32(text, crc32(seal))) + text;
}

/**
 * The header's own text: JSON, unless the segment is packed.
 *
 * @throws DamagedSegmentError
 */
export function unsealHeader(header: string): string {
  if (header.startsWith(UNSEALED)) return header;
  const seal = header.slice(0, BODY_SEAL_LENGTH);
  const text = header.slice(SEAL_LENGTH);
  if (header.slice(BODY_SEAL_LENGTH, SEAL_LENGTH) !== hex(crc32(text, crc32(seal)))) {
    throw new DamagedSegmentError(null);
  }
  return text;
}

/**
 * The same segment packed: its body as a frame, and its header too where that is shorter.
 *
 * @param header That of a segment that is not packed.
 * @param body Its plain body, which must have been checked.
 */
export function packSegment(
  header: string,
  body: Uint8Array,
  traceId: string,
): { readonly header: string; readonly body: Uint8Array<ArrayBuffer> } {
  const text = unsealHeader(header);
  const packed = packHeader(text);
  const frame = packFrame(body, "smaller");
  const shorter = packed.length < text.length ? packed : text;
  return { header: sealHeader(shorter, frame, traceId), body: frame };
}

function packHeader(json: string): string {
  const columns = packTuples(JSON.parse(json), json);
  if (columns !== undefined) return COLUMNS + columns;
  return PACKED_JSON + Buffer.from(packFrame(Buffer.from(json))).toString("base64");
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

/**
 * The body that a header tells the places of: checked by {@link checkBody}, and unpacked where it was stored
 * as a frame.
 *
 * @throws DamagedSegmentError
 */
export function plainBody(
  header: string,
  stored: Uint8Array<ArrayBuffer>,
  traceId: string,
): Uint8Array<ArrayBuffer> {
  checkBody(header, stored, traceId);
  return unpackBody(stored);
}

/**
 * The same without the check.
 *
 * @throws DamagedSegmentError for a damaged frame.
 */
export function unpackBody(stored: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (!isFrame(stored)) return stored;
  try {
    return unpackFrame(stored);
  } catch (error) {
    throw new DamagedSegmentError(null, error);
  }
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
