import type { SegmentEntry } from "./segment.ts";
import { decodeHeader } from "./segment.ts";

/** A span and the segment that holds its valid text. */
export interface PlacedEntry extends SegmentEntry {
  readonly segment: number;
}

export interface HeaderRow {
  readonly segment: number;
  readonly header: string;
}

/**
 * Collects a trace's spans from its segments in the order of their commits. Of an id that was
 * written more than once, the last one counts.
 */
export class SegmentMerger {
  readonly #byId = new Map<string, PlacedEntry>();

  add({ segment, header }: HeaderRow): void {
    for (const entry of decodeHeader(header)) this.#byId.set(entry.id, { ...entry, segment });
  }

  get size(): number {
    return this.#byId.size;
  }

  entries(): PlacedEntry[] {
    return [...this.#byId.values()];
  }
}
