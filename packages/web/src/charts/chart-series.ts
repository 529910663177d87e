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

/** Values of one series, bucket by bucket; null is unknown and draws nothing. */
type Values = readonly (number | null)[];

/** Where a series begins and ends in its stack, bucket by bucket. */
export interface StackedValues {
  readonly bases: readonly number[];
  readonly tops: Values;
}

/** Puts series upon each other, the first at the bottom. */
export function stackValues(series: readonly Values[]): readonly StackedValues[] {
  const heights = new Array<number>(series[0]?.length ?? 0).fill(0);
  return series.map((values) => {
    const bases = [...heights];
    const tops = values.map((value, index) => {
      if (value === null) return null;
      heights[index] = (heights[index] ?? 0) + value;
      return heights[index];
    });
    return { bases, tops };
  });
}

/** Which series of a stack is at this height of a bucket; null above all of them. */
export function seriesInStack(
  series: readonly Values[],
  bucket: number,
  height: number,
): number | null {
  let top = 0;
  for (const [position, values] of series.entries()) {
    top += values[bucket] ?? 0;
    if (height < top) return position;
  }
  return null;
}

/** Which line is nearest to this height at a bucket; null where none has a value. */
export function nearestSeries(
  series: readonly Values[],
  bucket: number,
  height: number,
): number | null {
  const distances = series.flatMap((values, position) => {
    const value = values[bucket] ?? null;
    return value === null ? [] : [{ position, distance: Math.abs(value - height) }];
  });
  distances.sort((a, b) => a.distance - b.distance);
  return distances[0]?.position ?? null;
}

/** All series of a bucket together; null where none is known. */
export function sumAt(series: readonly Values[], bucket: number): number | null {
  return sumOf(series.map((values) => values[bucket] ?? null));
}

/** The known ones together; null where none is. */
function sumOf(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** The buckets whose value has no neighbour that a line could join it with. */
export function lonePoints(values: Values): number[] {
  return values.flatMap((value, index) =>
    value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
      ? [index]
      : [],
  );
}
