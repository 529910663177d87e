import type { ProjectCount } from "../stores/span-store.ts";

/** What two stores hold of one project. */
export interface ProjectComparison {
  readonly project: string;
  readonly from: Count;
  readonly to: Count;
}

interface Count {
  readonly traces: number;
  readonly spans: number;
}

/** Every project that either store has, by its id. */
export function compareCounts(
  from: readonly ProjectCount[],
  to: readonly ProjectCount[],
): ProjectComparison[] {
  const projects = new Set([...from, ...to].map(({ project }) => project));
  return [...projects].sort().map((project) => ({
    project,
    from: countOf(from, project),
    to: countOf(to, project),
  }));
}

function countOf(counts: readonly ProjectCount[], wanted: string): Count {
  const { traces, spans } = counts.find(({ project }) => project === wanted) ?? EMPTY;
  return { traces, spans };
}

const EMPTY: Count = { traces: 0, spans: 0 };

/** Something of the project is not in the other store. */
export function lacks({ from, to }: ProjectComparison): boolean {
  return to.traces < from.traces || to.spans < from.spans;
}

/** The other store has all of it, and something besides. */
export function hasMore(comparison: ProjectComparison): boolean {
  const { from, to } = comparison;
  return !lacks(comparison) && (to.traces > from.traces || to.spans > from.spans);
}

export function spansIn(counts: readonly ProjectCount[]): number {
  return counts.reduce((sum, { spans }) => sum + spans, 0);
}
