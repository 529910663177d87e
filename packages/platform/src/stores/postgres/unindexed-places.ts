/** Where a segment lies whose texts are still to be indexed. */
export type Place = readonly [day: number, traceNo: number, segment: number];

/** About this many spans are indexed in one step. Deleting one of their traces waits for the step. */
const SPANS_PER_ROW = 1_000;

/** The places that a transaction leaves to be indexed, as rows of `unindexed`. */
export class UnindexedPlaces {
  readonly #rows: Place[][] = [];
  #spans = SPANS_PER_ROW;

  add(spans: number, place: Place): void {
    if (this.#spans >= SPANS_PER_ROW) {
      this.#rows.push([]);
      this.#spans = 0;
    }
    this.#rows.at(-1)?.push(place);
    this.#spans += spans;
  }

  rows(): string[] {
    return this.#rows.map((places) => JSON.stringify(places));
  }
}

export function parsePlaces(row: string): Place[] {
  return JSON.parse(row);
}
