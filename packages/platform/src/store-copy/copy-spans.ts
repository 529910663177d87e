import type { SpanAppender, SpanPart, SpanStore } from "../stores/span-store.ts";
import { StoreUnavailableError } from "../stores/store-errors.ts";
import type { Patience } from "./retry-while-unavailable.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** Parts that are being written at a time: stores put what waits into one commit. */
const MOST_WRITES = 64;
/** Characters of records in them: what bounds memory. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

export interface Copy {
  readonly from: Pick<SpanStore, "exportSpans">;
  readonly to: SpanAppender;
  /** Where to begin; null: with everything. */
  readonly after: string | null;
  readonly patience: { readonly from: Patience; readonly to: Patience };
  /** Ends the copy: what is being written is still committed and told. */
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
 * Copies spans: reads the next parts while others are written. Writing a part again does no harm,
 * so it may begin before where another copy ended.
 *
 * @throws StoreUnavailableError when one of the stores stays away.
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
    for await (const part of partsOf(copy)) {
      if (signal.aborted) break;
      const write = beginWrite(copy, part);
      writes.push(write);
      characters += write.characters;
      while (writes.length >= MOST_WRITES || characters > MOST_CHARACTERS) await finishOldest();
    }
    while (writes.length > 0) await finishOldest();
  } catch (error) {
    // Nothing may go on behind the back of whoever closes the stores.
    await Promise.allSettled(writes.map(({ committed }) => committed));
    if (!signal.aborted || error !== signal.reason) throw error;
  }
  return signal.aborted ? "interrupted" : "finished";
}

/** The parts of the source, through its being away now and then. */
async function* partsOf({ from, after, patience }: Copy): AsyncGenerator<SpanPart, void, void> {
  let position = after;
  let parts: AsyncIterator<SpanPart> | undefined;
  try {
    for (;;) {
      const next = await retryWhileUnavailable(patience.from, async () => {
        parts ??= from.exportSpans(position)[Symbol.asyncIterator]();
        try {
          return await parts.next();
        } catch (error) {
          // It has ended with that: the next try begins another one.
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

function beginWrite({ to, patience }: Copy, part: SpanPart): Write {
  const { project, receivedAt, spans } = part;
  const committed = retryWhileUnavailable(patience.to, async () => {
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
  // Whoever waits for it gets the error; until then it is nobody's.
  committed.catch(() => {});
  return {
    part,
    characters: spans.reduce((sum, span) => sum + span.openRecord.length, 0),
    committed,
  };
}
