import type { Place } from "./unindexed-places.ts";

/**
 * Segments of a day as runs, in four lists of the same length: of all traces from one number to another, the segments
 * from one to another. Traces that arrive in one batch each are few runs, however many they are.
 */
export interface SegmentRuns {
  readonly day: number;
  readonly firstTraces: readonly number[];
  readonly lastTraces: readonly number[];
  readonly firstSegments: readonly number[];
  readonly lastSegments: readonly number[];
}

interface Run {
  readonly firstTrace: number;
  lastTrace: number;
  readonly firstSegment: number;
  lastSegment: number;
}

/** @param places Of this day. */
export function toRuns(day: number, places: readonly Place[]): SegmentRuns {
  const runs = alongTraces(alongSegments(places));
  return {
    day,
    firstTraces: runs.map(({ firstTrace }) => firstTrace),
    lastTraces: runs.map(({ lastTrace }) => lastTrace),
    firstSegments: runs.map(({ firstSegment }) => firstSegment),
    lastSegments: runs.map(({ lastSegment }) => lastSegment),
  };
}

/** One for segments of a trace that follow each other. */
function alongSegments(places: readonly Place[]): Run[] {
  const runs: Run[] = [];
  for (const [, trace, segment] of places.toSorted((a, b) => a[1] - b[1] || a[2] - b[2])) {
    const last = runs.at(-1);
    if (last?.lastTrace === trace && segment <= last.lastSegment + 1) last.lastSegment = segment;
    else {
      runs.push({
        firstTrace: trace,
        lastTrace: trace,
        firstSegment: segment,
        lastSegment: segment,
      });
    }
  }
  return runs;
}

/** One for traces that follow each other and have the same segments. */
function alongTraces(ofTraces: readonly Run[]): Run[] {
  const runs: Run[] = [];
  const sorted = ofTraces.toSorted(
    (a, b) =>
      a.firstSegment - b.firstSegment ||
      a.lastSegment - b.lastSegment ||
      a.firstTrace - b.firstTrace,
  );
  for (const run of sorted) {
    const last = runs.at(-1);
    const follows =
      last !== undefined &&
      last.lastTrace + 1 === run.firstTrace &&
      last.firstSegment === run.firstSegment &&
      last.lastSegment === run.lastSegment;
    if (follows) last.lastTrace = run.lastTrace;
    else runs.push({ ...run });
  }
  return runs;
}
