import type { RowCounts } from "@agate/protocol";
import type { StoredRow } from "./row-content.ts";

/** A row of the latest revision, without its content. */
export interface CurrentRow {
  readonly id: string;
  readonly position: number;
  readonly hash: string;
  readonly bytes: number;
}

/** What a commit writes. Rows that it does not name stay as they are, in their place. */
export interface CommitPlan {
  /** Ids of rows whose version ends with the revision before. */
  readonly ended: readonly string[];
  readonly inserted: readonly (StoredRow & { readonly position: number })[];
  /** Of the inserted ones, those with a new content. */
  readonly written: ReadonlySet<string>;
  readonly counts: RowCounts & { readonly unchanged: number };
  readonly bytes: number;
}

/** How far apart the positions of rows are, so that others fit between them. */
const GAP = 2 ** 24;

/**
 * Plans a commit after which the set has these rows in this order. Rows that keep content and order are
 * not written: as many as possible keep their place, the others are placed between them.
 *
 * @param current In the order of their positions.
 */
export function planReplacement(
  current: readonly CurrentRow[],
  rows: readonly StoredRow[],
): CommitPlan {
  const places = new Map(current.map((row, index) => [row.id, index]));
  const before = rows.map(({ id }) => places.get(id));
  const kept = longestIncreasing(before);
  const fixed = rows.map((_, n) => (kept.has(n) ? current[before[n]!]!.position : undefined));
  const positions = fillPositions(fixed) ?? rows.map((_, n) => (n + 1) * GAP);
  const inserted: (StoredRow & { position: number })[] = [];
  const written = new Set<string>();
  const counts = { added: 0, changed: 0, removed: 0, moved: 0, unchanged: 0 };
  const ended: string[] = [];
  let bytes = 0;
  for (const [n, row] of rows.entries()) {
    const place = before[n];
    const old = place === undefined ? undefined : current[place]!;
    const position = positions[n]!;
    bytes += row.bytes;
    const kind = changeOf(old, row.hash, position);
    counts[kind]++;
    if (kind === "unchanged") continue;
    if (kind !== "moved") written.add(row.id);
    if (old !== undefined) ended.push(row.id);
    inserted.push({ ...row, position });
  }
  const wanted = new Set(rows.map(({ id }) => id));
  for (const { id } of current) {
    if (wanted.has(id)) continue;
    ended.push(id);
    counts.removed++;
  }
  return { ended, inserted, written, counts, bytes };
}

function changeOf(old: CurrentRow | undefined, hash: string, position: number) {
  if (old === undefined) return "added";
  if (old.hash !== hash) return "changed";
  return old.position === position ? "unchanged" : "moved";
}

/** Plans a commit that replaces or appends these rows, and removes others by their ids. */
export function planPatch(
  current: readonly CurrentRow[],
  upsert: readonly StoredRow[],
  removed: ReadonlySet<string>,
): CommitPlan {
  const known = new Map(current.map((row) => [row.id, row]));
  let last = current.at(-1)?.position ?? 0;
  const inserted: (StoredRow & { position: number })[] = [];
  const ended = current.flatMap(({ id }) => (removed.has(id) ? [id] : []));
  const counts = { added: 0, changed: 0, removed: ended.length, moved: 0, unchanged: 0 };
  let bytes = 0;
  for (const { id, bytes: size } of current) if (!removed.has(id)) bytes += size;
  for (const row of upsert) {
    const old = known.get(row.id);
    if (old?.hash === row.hash) continue;
    bytes += row.bytes - (old?.bytes ?? 0);
    if (old === undefined) counts.added++;
    else {
      counts.changed++;
      ended.push(row.id);
    }
    if (old === undefined) last += GAP;
    inserted.push({ ...row, position: old?.position ?? last });
  }
  counts.unchanged = current.length - counts.removed - counts.changed;
  return { ended, inserted, written: new Set(inserted.map(({ id }) => id)), counts, bytes };
}

/** The indexes of a longest part of a list that increases; what is undefined is in none. */
function longestIncreasing(values: readonly (number | undefined)[]): ReadonlySet<number> {
  /** Per length of an increasing part, less one: the index where the one with the smallest end ends. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [n, value] of values.entries()) {
    if (value === undefined) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[ends[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    previous[n] = ends[low - 1];
    ends[low] = n;
  }
  const kept = new Set<number>();
  for (let n = ends.at(-1); n !== undefined; n = previous[n]) kept.add(n);
  return kept;
}

/** Positions for those that have none, between those that have one; undefined where they do not fit. */
function fillPositions(fixed: readonly (number | undefined)[]): number[] | undefined {
  const positions: number[] = [];
  let start = 0;
  while (start < fixed.length) {
    const position = fixed[start];
    if (position !== undefined) {
      positions.push(position);
      start++;
      continue;
    }
    let end = start;
    while (end < fixed.length && fixed[end] === undefined) end++;
    const count = end - start;
    const [low, high] = [positions.at(-1), fixed[end]];
    if (low !== undefined && high !== undefined) {
      if (high - low <= count) return undefined;
      const step = (high - low) / (count + 1);
      for (let n = 1; n <= count; n++) positions.push(Math.floor(low + n * step));
    } else {
      const first = low ?? (high === undefined ? 0 : high - (count + 1) * GAP);
      for (let n = 1; n <= count; n++) positions.push(first + n * GAP);
    }
    start = end;
  }
  return positions;
}
