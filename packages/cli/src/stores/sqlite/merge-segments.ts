import type { PlacedEntry } from "./segment.ts";
import { decodeHeader } from "./segment.ts";

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
    for (const entry of decodeHeader(header, segment)) this.#byId.set(entry.id, entry);
  }

  get size(): number {
    return this.#byId.size;
  }

  entries(): PlacedEntry[] {
    return [...this.#byId.values()];
  }
}
