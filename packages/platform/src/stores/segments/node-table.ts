import type { ReportedFigures, SpanNode, SpanNodes } from "@agate/spans/tree";
import { buildTree, totalText } from "@agate/spans/tree";
import { decodeHeader } from "./segment.ts";

/** A node, and where its open record lies. */
export interface PlacedNode extends SpanNode {
  readonly segment: number;
  readonly offset: number;
  readonly openLength: number;
}

/** Start, its nanoseconds, segment, offset, length. */
const NUMBERS = 5;
const FIRST_ROOM = 256;

/**
 * The nodes of a trace in columns. As objects, those of 200,000 spans would take three times the
 * memory, and as much again until they are collected.
 */
export class NodeTable implements SpanNodes {
  readonly #ids: string[] = [];
  readonly #parentIds: (string | null)[] = [];
  readonly #figures = new Map<number, ReportedFigures>();
  #numbers = new Float64Array(FIRST_ROOM * NUMBERS);

  get length(): number {
    return this.#ids.length;
  }

  /** Puts a node at an index: a new one at the end, or in place of another. */
  set(index: number, entry: PlacedNode): void {
    const base = index * NUMBERS;
    if (base === this.#numbers.length) this.#makeRoom();
    this.#ids[index] = entry.id;
    this.#parentIds[index] = entry.parentId;
    const numbers = this.#numbers;
    numbers[base] = entry.start;
    numbers[base + 1] = entry.startNanos;
    numbers[base + 2] = entry.segment;
    numbers[base + 3] = entry.offset;
    numbers[base + 4] = entry.openLength;
    if (entry.figures !== null) this.#figures.set(index, entry.figures);
    else if (this.#figures.size > 0) this.#figures.delete(index);
  }

  at(index: number): PlacedNode | undefined {
    const id = this.#ids[index];
    if (id === undefined) return undefined;
    const base = index * NUMBERS;
    return {
      id,
      parentId: this.#parentIds[index] as string | null,
      start: this.#numbers[base] as number,
      startNanos: this.#numbers[base + 1] as number,
      segment: this.#numbers[base + 2] as number,
      offset: this.#numbers[base + 3] as number,
      openLength: this.#numbers[base + 4] as number,
      figures: this.#figures.get(index) ?? null,
    };
  }

  #makeRoom(): void {
    const wider = new Float64Array(this.#numbers.length * 2);
    wider.set(this.#numbers);
    this.#numbers = wider;
  }
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

  /** Builds the tree. @returns The shown total of a span's subtree, by the span's id. */
  totals(): (spanId: string) => string {
    const tree = buildTree(this.#nodes);
    return (spanId) => {
      const index = this.indexOf(spanId);
      return totalText(tree.total(index < 0 ? tree.top : index));
    };
  }
}
