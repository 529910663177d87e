import type { MigrationOutcome, ProjectComparison, TraceName } from "@agate/platform/offline";
import { plural } from "@agate/protocol/format";
import { printableLine } from "../../terminal/printable.ts";

type Finished = Extract<MigrationOutcome, { kind: "finished" }>;

/** Traces that are named one by one. */
const MOST_NAMED = 10;

/** What is in the first store and not, or not the same, in the second. */
export function differenceLines({ lacking, missing, trees }: Finished): string[] {
  const { differing, compared } = trees;
  return [
    ...lacking.map((comparison) => `  ${describe(comparison)}`),
    ...namedLines(
      `${plural(missing.length, "trace")} missing or incomplete in the second:`,
      missing,
    ),
    ...namedLines(
      `${differing.length} of ${plural(compared, "compared trace")} differ:`,
      differing,
    ),
  ];
}

function namedLines(title: string, traces: readonly TraceName[]): string[] {
  if (traces.length === 0) return [];
  const named = traces.slice(0, MOST_NAMED);
  return [
    `  ${title}`,
    ...named.map(
      ({ project, traceId }) => `    ${printableLine(`${traceId} of project ${project}`)}`,
    ),
    ...(traces.length > named.length
      ? [`    and ${traces.length - named.length} more: --json names them all`]
      : []),
  ];
}

/** What the second store holds besides: nothing is wrong with that. */
export function moreLines({ exceeding }: Finished): string[] {
  return exceeding.map((comparison) => `The second store holds more: ${describe(comparison)}.`);
}

function describe({ project, from, to }: ProjectComparison): string {
  const [before, after] = [from, to].map(
    ({ traces, spans }) => `${plural(spans, "span")} in ${plural(traces, "trace")}`,
  );
  return printableLine(`project ${project} has ${before} in the first and ${after} in the second`);
}
