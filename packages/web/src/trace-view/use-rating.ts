import type { Score, SpanRecord } from "@agate/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { usePlatform } from "../api/platform-context.tsx";
import { givenScoreQuery, postScore, showInLists, storedScore } from "../api/scores.ts";
import { mayDo, sessionQuery } from "../api/session.ts";
import { useToaster } from "../design/toaster.tsx";
import { ownRating, THUMB_VALUES, THUMBS, type Thumb, thumbOf, withGiven } from "./own-rating.ts";

const NEEDS_EVALUATE = "Rating needs a key with the evaluate scope.";

/** The scores of a span, and the rating of it by the user. */
export interface Rating {
  /** With the user's own rating, as soon as it is sent. */
  readonly scores: readonly Score[];
  readonly thumb: Thumb | null;
  readonly comment: string;
  /** Why the user cannot rate; null if they can. */
  readonly refusal: string | null;
  readonly isSaving: boolean;
  rate(thumb: Thumb): void;
  /** Needs a thumb. */
  saveComment(comment: string): void;
}

/** Shows a rating at once, and takes it back with a message if the platform does not store it. */
export function useRating(span: SpanRecord): Rating {
  const client = usePlatform();
  const queries = useQueryClient();
  const toaster = useToaster();
  const session = useQuery(sessionQuery(client)).data;
  const { data: given } = useQuery(givenScoreQuery(client, span));
  const post = useMutation({
    mutationFn: ({ score }: { span: SpanRecord; score: Parameters<typeof postScore>[1] }) =>
      postScore(client, score),
    // One after the other: of two clicks, the last counts.
    scope: { id: "rating" },
    onSuccess: (score, { span: rated }) => {
      queries.setQueryData(givenScoreQuery(client, rated).queryKey, { span: rated, score });
      showInLists(queries, client, rated.id, withGiven(rated.metadata.scores ?? [], score));
    },
    onError: (error) => toaster.failed(`Rating not saved: ${error.message}`),
  });
  const sent = post.isPending && post.variables.span === span ? post.variables.score : null;
  const latest =
    sent === null ? (given?.span === span ? given.score : null) : storedScore(sent, "");
  const scores = withGiven(span.metadata.scores ?? [], latest);
  const person = session?.caller?.name ?? null;
  const own = ownRating(scores, span.id, person);
  const thumb = thumbOf(own);
  const save = (label: Thumb, explanation: string | null) => {
    const { trace_id, id: span_id } = span;
    const value = THUMB_VALUES[label];
    post.mutate({
      span,
      score: { trace_id, span_id, name: THUMBS, value, label, explanation, person },
    });
  };
  return {
    scores,
    thumb,
    comment: own?.explanation ?? "",
    refusal: session === undefined || mayDo(session, "evaluate") ? null : NEEDS_EVALUATE,
    isSaving: sent !== null,
    rate: (next) => save(next, own?.explanation ?? null),
    saveComment: (comment) => {
      if (thumb !== null) save(thumb, comment.trim() === "" ? null : comment.trim());
    },
  };
}
