import type { Values } from "./stack-values.ts";

/** How a series is told from the others: by colour, and by more than that. */
export interface SeriesPaint {
  /** A token of styles.css: `--chart-1`. */
  readonly colour: string;
  /** Of bars. */
  readonly isHatched: boolean;
  /** Of lines, in pixels: drawn, left out, drawn … */
  readonly dash: readonly number[];
}

export interface ChartSeries {
  /** Its own among those of a chart. */
  readonly id: string;
  readonly label: string;
  /** As many as there are buckets. */
  readonly values: Values;
  readonly paint: SeriesPaint;
  /** Whether what is behind it can be told from what is behind the others. */
  readonly isSeparable: boolean;
}

const COLOURS = 8;
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [10, 3, 2, 3]];

/** The paint of the first, second … of up to eight series; then they begin anew. */
export function seriesPaint(position: number): SeriesPaint {
  return {
    colour: `--chart-${(position % COLOURS) + 1}`,
    // Neighbours are told apart by it where their colours look alike.
    isHatched: position % 2 === 1,
    dash: DASHES[position % DASHES.length] ?? [],
  };
}

/** Everything that is not shown by itself. */
export const OTHER_PAINT: SeriesPaint = { colour: "--chart-other", isHatched: false, dash: [1, 4] };

export const ERROR_PAINT: SeriesPaint = { colour: "--danger", isHatched: false, dash: [] };
