import type { Score } from "@agate/protocol";
import { type QueryClient, queryOptions, skipToken } from "@tanstack/react-query";
import type { PlatformClient } from "./platform-client.ts";
import { rowScores } from "./row-scores.ts";
import { type TracePages, tracesKey } from "./traces.ts";

/** A judgement by the user of the page. */
export interface GivenScore {
  readonly trace_id: string;
  readonly span_id: string;
  readonly name: string;
  readonly value: number;
  readonly label: string;
  readonly explanation: string | null;
  /** The name of the user's key. */
  readonly person: string | null;
}

/** Stores a score, and resolves to it. The same person's score of the same name and span is replaced. */
export async function postScore(client: PlatformClient, given: GivenScore): Promise<Score> {
  const { person, ...judgement } = given;
  const source = { kind: "human", person } as const;
  const { ids } = await client.send<{ ids: readonly string[] }>("POST", "/observability/scores/", {
    scores: [{ ...judgement, source }],
  });
  return storedScore(given, ids[0] ?? "");
}

/** A score as the records show it, before they do. */
export function storedScore({ person, ...judgement }: GivenScore, id: string): Score {
  return {
    id,
    ...judgement,
    source: { kind: "human", evaluator: null, version: null, person },
    status: "ok",
    error: null,
    created_at: new Date().toISOString(),
    run: null,
    case: null,
    column: null,
    trial: null,
    metadata: null,
  };
}

/** A score that was given on this page, and the record of the span that it was given for. */
export interface GivenTo<Span> {
  readonly span: Span;
  readonly score: Score;
}

/**
 * The latest score that was given on this page for a span. A record that is read later has it; one that
 * is not read again, such as that of a playground call, does not.
 */
export function givenScoreQuery<Span extends { readonly trace_id: string; readonly id: string }>(
  client: PlatformClient,
  { trace_id, id }: Span,
) {
  return queryOptions<GivenTo<Span>>({
    queryKey: [client.project, "given-score", trace_id, id],
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}

/** Shows the scores of a span in the lists that were read before. */
export function showInLists(
  queries: QueryClient,
  client: PlatformClient,
  spanId: string,
  scores: readonly Score[],
): void {
  const shown = rowScores(scores);
  queries.setQueriesData<TracePages>(
    { queryKey: tracesKey(client) },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          rows: page.rows.map((row) => (row.spanId === spanId ? { ...row, scores: shown } : row)),
        })),
      },
  );
}
