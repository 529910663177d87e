/** Values of one series, bucket by bucket; null is unknown and draws nothing. */
export type Values = readonly (number | null)[];

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
export function sumOf(values: Values): number | null {
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
