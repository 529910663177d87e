import type { PlacedNode } from "../segments/node-table.ts";
import { NodeTable } from "../segments/node-table.ts";
import { figuresIn } from "./span-row.ts";

/** What a tree takes of a span, and which write of it this is. */
export type NodeRow = readonly [
  spanId: string,
  version: number,
  parentId: string | null,
  start: number,
  startNanos: number,
  figures: string,
  recordBytes: number,
];

export const NODE_COLUMNS =
  "span_id, version, parent_id, start, start_nanos, figures, record_bytes";

/** The nodes of a trace, each id once: of several writes the last one counts, in any order of arrival. */
export class TraceNodes {
  readonly table = new NodeTable();
  readonly #indexById = new Map<string, number>();
  newest = 0;

  /** @returns Where it stands now; undefined when a later write of it is there already. */
  add([id, version, parentId, start, startNanos, figures, recordBytes]: NodeRow):
    | number
    | undefined {
    const index = this.#indexById.get(id) ?? this.table.length;
    if (index < this.table.length && this.versionAt(index) > version) return undefined;
    this.#indexById.set(id, index);
    this.newest = Math.max(this.newest, version);
    this.table.set(index, {
      id,
      parentId,
      start,
      startNanos,
      figures: figuresIn(figures),
      // A write is to this store what a segment is to others. Records have rows of their own.
      segment: version,
      offset: 0,
      openLength: recordBytes,
    });
    return index;
  }

  /** -1 when there is no such span. */
  indexOf(spanId: string): number {
    return this.#indexById.get(spanId) ?? -1;
  }

  versionAt(index: number): number {
    return (this.table.at(index) as PlacedNode).segment;
  }
}
