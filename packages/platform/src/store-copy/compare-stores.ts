import { createHash } from "node:crypto";
import { DamagedSegmentError } from "../stores/segments/segment.ts";
import type { ProjectCount, SpanStore } from "../stores/span-store.ts";
import { TraceGoneError } from "../stores/span-store.ts";
import { readTree } from "../stores/trees/read-tree.ts";
import type { RetryOptions } from "./retry-while-unavailable.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";
import type { TraceName } from "./trace-sample.ts";

/** Traces that are compared at a time. */
const AT_ONCE = 8;

export interface TreesToCompare {
  readonly from: SpanStore;
  readonly to: SpanStore;
  readonly traces: readonly TraceName[];
  readonly retry: { readonly from: RetryOptions; readonly to: RetryOptions };
  readonly signal: AbortSignal;
  readonly onCompared: (count: number) => void;
}

export interface TreeComparison {
  /** The number of compared traces; one that was deleted from the source cannot be compared. */
  readonly compared: number;
  /** Traces whose responses are not identical. */
  readonly differing: readonly TraceName[];
}

/** Compares the responses of both stores for these traces. */
export async function compareTrees(trees: TreesToCompare): Promise<TreeComparison> {
  const { from, to, traces, retry, signal, onCompared } = trees;
  const differing: TraceName[] = [];
  let compared = 0;
  const compare = async (trace: TraceName): Promise<void> => {
    const [wanted, found] = await Promise.all([
      retryWhileUnavailable(retry.from, () => treeDigest(from, trace)),
      retryWhileUnavailable(retry.to, () => treeDigest(to, trace)).catch(differsIfDamaged),
    ]);
    if (wanted === null) return;
    compared++;
    if (wanted !== found) differing.push(trace);
  };
  for (let at = 0; at < traces.length; at += AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(traces.slice(at, at + AT_ONCE).map(compare));
    onCompared(compared);
  }
  return { compared, differing };
}

/** An empty text differs from every digest. */
function differsIfDamaged(error: unknown): string {
  if (error instanceof DamagedSegmentError) return "";
  throw error;
}

/** SHA-256 of a trace's response; null when the trace does not exist. */
async function treeDigest(
  store: SpanStore,
  { project, traceId }: TraceName,
): Promise<string | null> {
  const answer = await readTree(store, project, { kind: "trace", traceId });
  if (answer.kind === "missing") return null;
  const digest = createHash("sha256");
  if (answer.kind === "whole") return digest.update(answer.json).digest("hex");
  try {
    for await (const chunk of answer.chunks) digest.update(chunk);
  } catch (error) {
    if (error instanceof TraceGoneError) return null;
    throw error;
  }
  return digest.digest("hex");
}

/** What two stores hold of one project. */
export interface ProjectComparison {
  readonly project: string;
  readonly from: Count;
  readonly to: Count;
}

interface Count {
  readonly traces: number;
  readonly spans: number;
  readonly scores: number;
}

/** What a store holds. */
export interface StoreCounts {
  readonly spans: readonly ProjectCount[];
  readonly scores: ReadonlyMap<string, number>;
}

export async function countsOf(
  store: Pick<SpanStore, "countSpans" | "countScores">,
): Promise<StoreCounts> {
  return { spans: await store.countSpans(), scores: await store.countScores() };
}

/** Every project that either store has, by its id. */
export function compareCounts(from: StoreCounts, to: StoreCounts): ProjectComparison[] {
  const withSpans = [...from.spans, ...to.spans].map(({ project }) => project);
  const projects = new Set([...withSpans, ...from.scores.keys(), ...to.scores.keys()]);
  return [...projects].sort().map((project) => ({
    project,
    from: countOf(from, project),
    to: countOf(to, project),
  }));
}

function countOf(counts: StoreCounts, wanted: string): Count {
  const { traces, spans } = counts.spans.find(({ project }) => project === wanted) ?? NO_SPANS;
  return { traces, spans, scores: counts.scores.get(wanted) ?? 0 };
}

const NO_SPANS = { traces: 0, spans: 0 };

/** The target has fewer traces, spans or scores of the project. */
export function lacks(comparison: ProjectComparison): boolean {
  return lacksSpans(comparison) || lacksScores(comparison);
}

export function lacksSpans({ from, to }: ProjectComparison): boolean {
  return to.traces < from.traces || to.spans < from.spans;
}

export function lacksScores({ from, to }: ProjectComparison): boolean {
  return to.scores < from.scores;
}

/** The target has all of the project, and more. */
export function hasMore(comparison: ProjectComparison): boolean {
  const { from, to } = comparison;
  const isMore = to.traces > from.traces || to.spans > from.spans || to.scores > from.scores;
  return isMore && !lacks(comparison);
}

export function spansIn(counts: readonly ProjectCount[]): number {
  return counts.reduce((sum, { spans }) => sum + spans, 0);
}

interface TracesToCompare {
  readonly from: Pick<SpanStore, "traceSizes">;
  readonly to: Pick<SpanStore, "sizesOf">;
  readonly retry: { readonly from: RetryOptions; readonly to: RetryOptions };
  readonly signal: AbortSignal;
  /** Called with every trace of the source. */
  readonly onTrace: (trace: TraceName) => void;
}

/**
 * Looks up each trace of the source in the target. Comparing counts is not enough: extra traces of the
 * target would hide missing ones.
 *
 * @returns The traces that the target lacks, or has with fewer spans.
 */
export async function missingTraces(traces: TracesToCompare): Promise<TraceName[]> {
  const { from, to, retry, signal, onTrace } = traces;
  const missing: TraceName[] = [];
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted();
    const page = await retryWhileUnavailable(retry.from, () => from.traceSizes(after));
    for (const [project, wanted] of Map.groupBy(page.items, (item) => item.project)) {
      const ids = wanted.map(({ traceId }) => traceId);
      const found = await retryWhileUnavailable(retry.to, () => to.sizesOf(project, ids));
      for (const { traceId, spans } of wanted) {
        onTrace({ project, traceId });
        if ((found.get(traceId) ?? 0) < spans) missing.push({ project, traceId });
      }
    }
    if (page.next === null) return missing;
    after = page.next;
  }
}
