/** How a series is drawn: by colour, and by hatching or dashes for readers who cannot tell the colours. */
export interface SeriesPaint {
  /** A token of look.css: `--chart-1`. */
  readonly colour: string;
  /** Of bars. */
  readonly isHatched: boolean;
  /** Of lines: the dash pattern in pixels. */
  readonly dash: readonly number[];
}

export interface ChartSeries {
  /** Unique within a chart. */
  readonly id: string;
  readonly label: string;
  /** One for each bucket. */
  readonly values: Values;
  readonly paint: SeriesPaint;
  /** Whether a filter exists that lists the traces of this series alone. */
  readonly isSeparable: boolean;
}

const COLOURS = 8;
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [10, 3, 2, 3]];

/** The paint of the series at a position; repeats after eight. */
export function seriesPaint(position: number): SeriesPaint {
  return {
    colour: `--chart-${(position % COLOURS) + 1}`,
    // Distinguishes neighbours with similar colours.
    isHatched: position % 2 === 1,
    dash: DASHES[position % DASHES.length] ?? [],
  };
}

/** Of the rest, which has no series of its own. */
export const OTHER_PAINT: SeriesPaint = { colour: "--chart-other", isHatched: false, dash: [1, 4] };

export const ERROR_PAINT: SeriesPaint = { colour: "--danger", isHatched: false, dash: [] };

/** The values of a series, one for each bucket; null is unknown and not drawn. */
type Values = readonly (number | null)[];

/** The base and top of a series in its stack, for each bucket. */
export interface StackedValues {
  readonly bases: readonly number[];
  readonly tops: Values;
}

/** Stacks series, the first at the bottom. */
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

/** The series at a height of a stack; null above the stack. */
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

/** The line nearest to a height; null where no line has a value. */
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

/** The sum of all series in a bucket; null if no value is known. */
export function sumAt(series: readonly Values[], bucket: number): number | null {
  return sumOf(series.map((values) => values[bucket] ?? null));
}

/** The sum of the known values; null if there are none. */
function sumOf(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** The buckets without a neighbouring value, which a line would not show. */
export function lonePoints(values: Values): number[] {
  return values.flatMap((value, index) =>
    value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
      ? [index]
      : [],
  );
}
