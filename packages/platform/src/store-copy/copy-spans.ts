import type { SpanAppender, SpanPart, SpanStore } from "../stores/span-store.ts";
import { StoreUnavailableError } from "../stores/store-errors.ts";
import type { RetryOptions } from "./retry-while-unavailable.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** Parts that are being written at a time: stores put what waits into one commit. */
const MOST_WRITES = 64;
/** Characters of records in them: what bounds memory. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

export interface Copy {
  readonly from: Pick<SpanStore, "exportSpans">;
  readonly to: Pick<SpanAppender, "append">;
  /** Where to begin; null: with everything. */
  readonly after: string | null;
  readonly retry: { readonly from: RetryOptions; readonly to: RetryOptions };
  /** Ends the copy: writes under way are still committed and reported. */
  readonly signal: AbortSignal;
  /** This part is committed, and so are all before it. */
  readonly onCommitted: (part: SpanPart) => Promise<void>;
}

interface Write {
  readonly part: SpanPart;
  readonly characters: number;
  readonly committed: Promise<void>;
}

/**
 * Copies spans: reads the next parts while others are written. Writes are idempotent, so a copy may begin
 * before the end of another.
 *
 * @throws StoreUnavailableError when one of the stores stays unavailable.
 */
export async function copySpans(copy: Copy): Promise<"finished" | "interrupted"> {
  const { signal, onCommitted } = copy;
  const writes: Write[] = [];
  let characters = 0;
  const finishOldest = async (): Promise<void> => {
    const oldest = writes[0] as Write;
    await oldest.committed;
    writes.shift();
    characters -= oldest.characters;
    await onCommitted(oldest.part);
  };
  try {
    const read = (position: string | null) => copy.from.exportSpans(position);
    for await (const part of partsOf(read, copy.after, copy.retry.from)) {
      if (signal.aborted) break;
      const write = beginWrite(copy, part);
      writes.push(write);
      characters += write.characters;
      while (writes.length >= MOST_WRITES || characters > MOST_CHARACTERS) await finishOldest();
    }
    while (writes.length > 0) await finishOldest();
  } catch (error) {
    // The caller closes the stores next, so all writes must have ended.
    await Promise.allSettled(writes.map(({ committed }) => committed));
    if (!signal.aborted || error !== signal.reason) throw error;
  }
  return signal.aborted ? "interrupted" : "finished";
}

/** The parts of a source after a position; retries while the source is unavailable. */
export async function* partsOf<Part extends { readonly position: string }>(
  read: (after: string | null) => AsyncIterable<Part>,
  after: string | null,
  retry: RetryOptions,
): AsyncGenerator<Part, void, void> {
  let position = after;
  let parts: AsyncIterator<Part> | undefined;
  try {
    for (;;) {
      const next = await retryWhileUnavailable(retry, async () => {
        parts ??= read(position)[Symbol.asyncIterator]();
        try {
          return await parts.next();
        } catch (error) {
          // The iterator has ended with the error: the next attempt starts a new one.
          parts = undefined;
          throw error;
        }
      });
      if (next.done) return;
      yield next.value;
      position = next.value.position;
    }
  } finally {
    await parts?.return?.();
  }
}

function beginWrite({ to, retry }: Copy, part: SpanPart): Write {
  const { project, receivedAt, spans } = part;
  const committed = retryWhileUnavailable(retry.to, async () => {
    const outcome = await to.append({ project, receivedAt, spans });
    switch (outcome.kind) {
      case "committed":
        return;
      case "unavailable":
        throw new StoreUnavailableError(outcome.reason, { cause: outcome });
      case "partly-committed":
        throw new Error(`The target has a limit of ${outcome.maxSpansPerTrace} spans per trace`);
    }
  });
  // The error is handled when the write is awaited; until then it must not be an unhandled rejection.
  committed.catch(() => {});
  return {
    part,
    characters: spans.reduce((sum, span) => sum + span.openRecord.length, 0),
    committed,
  };
}
