import { NodeTable } from "./node-table.ts";
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
  readonly #indexById = new Map<string, number>();
  readonly #nodes = new NodeTable();

  add({ segment, header }: HeaderRow): void {
    for (const entry of decodeHeader(header, segment)) {
      const index = this.#indexById.get(entry.id) ?? this.#nodes.length;
      this.#indexById.set(entry.id, index);
      this.#nodes.set(index, entry);
    }
  }

  get nodes(): NodeTable {
    return this.#nodes;
  }

  /** -1 when there is no such span. */
  indexOf(spanId: string): number {
    return this.#indexById.get(spanId) ?? -1;
  }
}
