import { MOST_CONTENT_BYTES } from "../stores/logged-content.ts";
import type { ScorePart } from "../stores/score-parts.ts";
import {
  MOST_SCORES_PER_TRACE,
  type RejectedScores,
  type StoredScore,
} from "../stores/score-store.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { StoreRefusalError, StoreUnavailableError } from "../stores/store-errors.ts";
import { partsOf } from "./copy-spans.ts";
import type { RetryOptions } from "./retry-while-unavailable.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

export interface ScoreCopy {
  readonly from: Pick<SpanStore, "exportScores">;
  readonly to: Pick<SpanStore, "putScores">;
  /** Where to begin; null: with all. */
  readonly after: string | null;
  /** Microseconds since 1970: scores that arrived earlier are in the target already. */
  readonly receivedFrom: number;
  readonly retry: { readonly from: RetryOptions; readonly to: RetryOptions };
  /** Ends the copy behind the part that is being written. */
  readonly signal: AbortSignal;
  /** This part is committed, and so are all before it. */
  readonly onCommitted: (position: string, written: number) => Promise<void>;
}

/**
 * Copies scores, one part after the other. Writes are idempotent, so a copy may begin before the end of another.
 *
 * @throws StoreUnavailableError when one of the stores stays unavailable; StoreRefusalError when the target has
 * no room for some scores.
 */
export async function copyScores(copy: ScoreCopy): Promise<"finished" | "interrupted"> {
  const { from, after, receivedFrom, retry, signal, onCommitted } = copy;
  const read = (position: string | null) => from.exportScores(position);
  try {
    for await (const part of partsOf(read, after, retry.from)) {
      if (signal.aborted) break;
      const scores = part.scores.filter(({ receivedAt }) => receivedAt >= receivedFrom);
      if (scores.length > 0) await write(copy, { ...part, scores });
      await onCommitted(part.position, scores.length);
    }
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  }
  return signal.aborted ? "interrupted" : "finished";
}

async function write({ to, retry }: ScoreCopy, { project, scores }: ScorePart): Promise<void> {
  await retryWhileUnavailable(retry.to, async () => {
    const outcome = await to.putScores({ project, scores });
    switch (outcome.kind) {
      case "committed":
        return;
      case "unavailable":
        throw new StoreUnavailableError(outcome.reason, { cause: outcome });
      case "partly-committed": {
        const rejected = scores.find(({ id }) => outcome.rejected.has(id)) as StoredScore;
        throw new StoreRefusalError(refusal(project, rejected, outcome.rejected));
      }
    }
  });
}

/** Why the target refuses a score or logged content, and what to do about it. */
function refusal(project: string, rejected: StoredScore, reasons: RejectedScores): string {
  const { id, traceId, spanId } = rejected;
  const trace = `trace ${traceId} of project ${project}`;
  const full =
    reasons.get(id) === "span-full"
      ? `The span ${spanId} in the ${trace} has logged messages in both stores, together more than ${MOST_CONTENT_BYTES} bytes, the most of a span`
      : `The ${trace} has ${MOST_SCORES_PER_TRACE} scores and logged contents in the second store, the most in a trace, and others in the first`;
  return `${full}. Delete the trace in one of them, and run the same command again to resume.`;
}
