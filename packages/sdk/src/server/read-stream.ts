import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { CallSignal } from "./call-signal.ts";
import { checkOutput } from "./check-output.ts";

export interface StreamReading {
  readonly stream: AsyncIterable<unknown> | IterableIterator<unknown>;
  readonly schema: StandardSchemaV1 | undefined;
  readonly signal: CallSignal;
  /** Runs a function in the context of the call: a generator's body runs in that of whoever asks for the next chunk. */
  within<R>(run: () => R): R;
}

/**
 * The chunks of a stream, checked. Ends its source however it is left; throws what the source
 * throws, or the reason of the abort: a source that hangs does not hold the call.
 */
export async function* readStream(reading: StreamReading): AsyncGenerator<unknown, void, void> {
  const { stream, schema, signal, within } = reading;
  const iterator =
    Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  let open = true;
  try {
    for (;;) {
      const next = await Promise.race([within(() => iterator.next()), signal.aborted]).catch(
        (error: unknown) => {
          // After a throw of its own a source is over; after an abort it is not.
          open = signal.cause !== null;
          throw error;
        },
      );
      if (next.done) {
        open = false;
        return;
      }
      yield await checkOutput(schema, next.value, "chunk");
    }
  } finally {
    if (open) leave(iterator, within);
  }
}

// Not awaited: a source that hangs in an `await` never gets to its end, and nobody waits for it.
function leave(
  iterator: AsyncIterator<unknown> | Iterator<unknown>,
  within: StreamReading["within"],
): void {
  const leaving = new Promise((resolve) => {
    resolve(within(() => iterator.return?.()));
  });
  // What a source throws while it is cleaned up has no one left to tell but its own span.
  leaving.catch(() => {});
}
