import { deflateRawSync, inflateRawSync } from "node:zlib";
import { AFTER_TOTAL } from "@agate/spans/tree";
import type { EntryTuple } from "./entry-tuple.ts";

// A packed header has the same entries as a plain one, in half the bytes: column by column, which compresses
// better than row by row, without the places that follow from lengths, and with ids as bytes. It is text, as the
// column that holds it: the number of entries, a comma, then seven bits of the bytes in each character.

/** What {@link EntryTuple} has, but for ids and for places that {@link placesOf} finds again. */
type Columns = readonly [
  /** How many places before the entry its parent is; 0 without one; the id of a parent that is not before it. */
  parents: readonly (number | string)[],
  /** Beyond the start of the entry before. */
  starts: readonly number[],
  nanos: readonly number[],
  openLengths: readonly number[],
  /** 0 for all entries of a loose segment. */
  totalLengths: readonly number[],
  figures: readonly EntryTuple[8][],
];

const ID_BYTES = 8;
/** Headers are some kilobytes: zlib's usual memory takes longer to set up than they take to pack. */
const SMALL = { windowBits: 12, memLevel: 5, chunkSize: 4096 };

/**
 * Packs the entries of a header.
 *
 * @param json The same as JSON.
 * @returns Undefined where the entries would not all be unpacked as they were: ids of other lengths, places that
 *   are not one after the other.
 */
export function packTuples(tuples: readonly (EntryTuple | 0)[], json: string): string | undefined {
  if (!tuples.every((tuple) => tuple !== 0)) return undefined;
  const ids = Buffer.from(tuples.map(([id]) => id).join(""), "hex");
  if (ids.length !== tuples.length * ID_BYTES) return undefined;
  const columns = deflateRawSync(JSON.stringify(columnsOf(tuples)), SMALL);
  const text = `${tuples.length},${toSevenBits(Buffer.concat([ids, columns]))}`;
  return JSON.stringify(unpackTuples(text)) === json ? text : undefined;
}

/** @throws Error for a text that {@link packTuples} did not make. */
export function unpackTuples(text: string): EntryTuple[] {
  const comma = text.indexOf(",");
  const count = Number(text.slice(0, comma));
  const bytes = fromSevenBits(text.slice(comma + 1));
  const idBytes = count * ID_BYTES;
  const columns = inflateRawSync(bytes.subarray(idBytes), SMALL).toString();
  return tuplesOf(bytes.toString("hex", 0, idBytes), JSON.parse(columns));
}

function columnsOf(tuples: readonly EntryTuple[]): Columns {
  const indexById = new Map(tuples.map(([id], n) => [id, n]));
  const parents = tuples.map(([, parentId], n) => {
    if (parentId === 0) return 0;
    const parent = indexById.get(parentId) ?? n;
    return parent < n ? n - parent : parentId;
  });
  return [
    parents,
    tuples.map(([, , start], n) => start - (tuples[n - 1]?.[2] ?? 0)),
    tuples.map((tuple) => tuple[3]),
    tuples.map((tuple) => tuple[5]),
    tuples.map((tuple) => tuple[6]),
    tuples.map((tuple) => tuple[8]),
  ];
}

function tuplesOf(ids: string, columns: Columns): EntryTuple[] {
  const [parents, starts, nanos, openLengths, totalLengths, figures] = columns;
  const idAt = (n: number) => ids.slice(n * ID_BYTES * 2, (n + 1) * ID_BYTES * 2);
  const { offsets, treeLengths } = placesOf(columns);
  let start = 0;
  return parents.map((parent, n) => {
    start += starts[n] as number;
    return [
      idAt(n),
      typeof parent === "string" || parent === 0 ? parent : idAt(n - parent),
      start,
      nanos[n] as number,
      offsets[n] as number,
      openLengths[n] as number,
      totalLengths[n] as number,
      treeLengths[n] as number,
      figures[n] as EntryTuple[8],
    ];
  });
}

interface Places {
  readonly offsets: readonly number[];
  readonly treeLengths: readonly number[];
}

/** Where the segment encoder has put the records. */
function placesOf([parents, , , openLengths, totalLengths]: Columns): Places {
  const offsets: number[] = [];
  const treeLengths: number[] = parents.map(() => 0);
  const depths: number[] = [];
  /** Records that are not closed yet, the innermost last. */
  const open: number[] = [];
  const isLoose = totalLengths[0] === 0;
  let at = 0;
  const closeTo = (level: number) => {
    while (open.length > level) {
      const n = open.pop() as number;
      at += n === offsets.length - 1 ? "null}".length : "]}".length;
      treeLengths[n] = at - (offsets[n] as number);
    }
  };
  for (const [n, parent] of parents.entries()) {
    if (!isLoose) {
      // What has no parent before it hangs under the top, which comes first.
      const isPlaced = typeof parent === "number" && parent > 0;
      const level = n === 0 ? 0 : isPlaced ? (depths[n - parent] as number) + 1 : 1;
      depths.push(level);
      closeTo(level);
      // The bracket of a first child, or the comma after a sibling.
      if (level > 0) at += 1;
      open.push(n);
    }
    offsets.push(at);
    at += (openLengths[n] as number) + (totalLengths[n] as number);
    if (!isLoose) at += AFTER_TOTAL.length;
  }
  closeTo(0);
  return { offsets, treeLengths };
}

/** What stands for zero: SQLite ends a text at the character U+0000. Its lowest seven bits are zero, too. */
const ZERO = 0x80;

function toSevenBits(bytes: Uint8Array): string {
  const characters = Buffer.alloc(Math.ceil((bytes.length * 8) / 7));
  let bits = 0;
  let waiting = 0;
  let length = 0;
  const put = (value: number) => {
    characters[length++] = value === 0 ? ZERO : value;
  };
  for (const byte of bytes) {
    waiting = (waiting << 8) | byte;
    bits += 8;
    while (bits >= 7) {
      bits -= 7;
      put(waiting >> bits);
      waiting &= (1 << bits) - 1;
    }
  }
  if (bits > 0) put(waiting << (7 - bits));
  return characters.toString("latin1");
}

function fromSevenBits(text: string): Buffer {
  const bytes = Buffer.alloc(Math.floor((text.length * 7) / 8));
  let bits = 0;
  let waiting = 0;
  let length = 0;
  for (const character of Buffer.from(text, "latin1")) {
    waiting = (waiting << 7) | (character & 0x7f);
    bits += 7;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = waiting >> bits;
    waiting &= (1 << bits) - 1;
  }
  return bytes;
}
