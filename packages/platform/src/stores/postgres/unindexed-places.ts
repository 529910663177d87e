/** Where a segment lies whose texts are still to be indexed. */
export type Place = readonly [day: number, traceNo: number, segment: number];

/** About this many spans are indexed in one step. Deleting one of their traces waits for the step. */
const SPANS_PER_ROW = 1_000;

/** The places that a transaction leaves to be indexed, as rows of `unindexed`. */
export class UnindexedPlaces {
  readonly #rows: { readonly places: Place[]; spans: number }[] = [];

  add(spans: number, place: Place): void {
    let row = this.#rows.at(-1);
    if (row === undefined || row.spans >= SPANS_PER_ROW) {
      row = { places: [], spans: 0 };
      this.#rows.push(row);
    }
    row.places.push(place);
    row.spans += spans;
  }

  /** Each with its places as JSON. */
  rows(): { readonly places: string; readonly spans: number }[] {
    return this.#rows.map(({ places, spans }) => ({ places: JSON.stringify(places), spans }));
  }
}

export function parsePlaces(row: string): Place[] {
  return JSON.parse(row);
}
