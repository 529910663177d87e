import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ChunkList } from "../tracing/chunk-list.ts";
import { messageOf } from "../tracing/describe-thrown.ts";
import type { EventSource } from "./answer.ts";
import { answerEnd, errorText } from "./answer.ts";
import type { CallRecord } from "./call-record.ts";
import type { CallSignal } from "./call-signal.ts";
import { checkOutput, OutputError, outputText, type Stream } from "./check-output.ts";

export interface StreamReading {
  readonly stream: Stream;
  readonly schema: StandardSchemaV1 | undefined;
  readonly signal: CallSignal;
  /** Runs a function in the context of the call: a generator's body runs in that of the code that asks for the next chunk. */
  within<R>(run: () => R): R;
  /** Is told of an error that the source throws when it is left: the call is over by then. */
  onLateError(thrown: unknown): void;
  /** Keeps the request alive until the source has been left, so that its `finally` runs. */
  keepAlive(leaving: Promise<unknown>): void;
}

type Step = { readonly done: true } | { readonly done: false; readonly value: unknown };

/** Yields to the event loop after this many chunks, so that timers and closed connections are noticed. */
const CHUNKS_PER_TURN = 100;

/**
 * The chunks of a stream, checked. A source that hangs does not hold the call: an abort ends the
 * wait for the next chunk.
 */
export class ChunkSource {
  readonly #reading: StreamReading;
  readonly #iterator: AsyncIterator<unknown> | Iterator<unknown>;
  #isBegun = false;
  #isOpen = true;
  #given = 0;

  constructor(reading: StreamReading) {
    this.#reading = reading;
    this.#iterator = reading.within(() => iteratorOf(reading.stream));
  }

  /** Throws what the source throws, or the reason of the abort. */
  async next(): Promise<Step> {
    const { stream, signal, schema } = this.#reading;
    this.#given += 1;
    if (this.#given % CHUNKS_PER_TURN === 0) await eventLoopTurn();
    signal.throwIfAborted();
    const result = await this.#step();
    if (typeof result !== "object" || result === null) {
      this.#isOpen = false;
      // As `for await` has it.
      throw new TypeError(`Iterator result ${messageOf(result)} is not an object`);
    }
    if (result.done) {
      this.#isOpen = false;
      return { done: true };
    }
    // The values of a plain iterator may be promises.
    const value =
      Symbol.asyncIterator in stream
        ? result.value
        : await signal.beforeAbort(Promise.resolve(result.value));
    const checking = checkOutput(schema, value, "chunk");
    const checked =
      checking instanceof Promise ? await signal.beforeAbort(checking) : (checking as unknown);
    return { done: false, value: checked };
  }

  async #step(): Promise<IteratorResult<unknown>> {
    const { signal, within } = this.#reading;
    this.#isBegun = true;
    const asked = new Promise<IteratorResult<unknown>>((resolve) => {
      resolve(within(() => this.#iterator.next()));
    });
    try {
      return await signal.beforeAbort(asked);
    } catch (thrown) {
      // After a throw of its own a source is over; after an abort it has to be left.
      if (signal.cause === null) this.#isOpen = false;
      throw thrown;
    }
  }

  /** Ends the source, unless it has come to its end. It is not waited for: it may hang. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { within, onLateError, keepAlive } = this.#reading;
    // A generator that was never begun would skip its `finally`.
    if (!this.#isBegun) this.#begin();
    const leaving = new Promise((resolve) => {
      resolve(within(() => this.#iterator.return?.()));
    });
    keepAlive(leaving.catch(onLateError));
  }

  #begin(): void {
    const { within, onLateError } = this.#reading;
    const beginning = new Promise((resolve) => {
      resolve(within(() => this.#iterator.next()));
    });
    beginning.catch(onLateError);
  }
}

function iteratorOf(stream: Stream): AsyncIterator<unknown> | Iterator<unknown> {
  if (!(Symbol.asyncIterator in stream)) return stream[Symbol.iterator]();
  return isNativeReadable(stream) ? readerOf(stream) : stream[Symbol.asyncIterator]();
}

function isNativeReadable(stream: AsyncIterable<unknown>): stream is ReadableStream<unknown> {
  return (
    stream instanceof ReadableStream &&
    stream[Symbol.asyncIterator] === ReadableStream.prototype[Symbol.asyncIterator]
  );
}

/** Its own iterator would cancel a stream that hangs only when the next chunk has come. */
function readerOf(stream: ReadableStream<unknown>): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** Resolves after timers and input of the runtime had their turn, which `await` alone does not give them. */
function eventLoopTurn(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  return new Promise((resolve) => {
    if (setImmediate === undefined) setTimeout(resolve, 0);
    else setImmediate(resolve);
  });
}

/**
 * A whole stream for a client that does not read events, as JSON: its chunks as a list, or as one
 * string where all are strings. What is to be recorded of them is added to `recorded`.
 */
export async function collectStream(source: ChunkSource, recorded: ChunkList): Promise<string> {
  const texts: string[] = [];
  let areStrings = true;
  for (;;) {
    const step = await source.next();
    if (step.done) break;
    areStrings &&= typeof step.value === "string";
    texts.push(outputText(step.value, "chunk"));
    recorded.add(step.value);
  }
  try {
    if (!areStrings || texts.length === 0) return `[${texts.join(",")}]`;
    return `"${texts.map((text) => text.slice(1, -1)).join("")}"`;
  } catch {
    // Strings have a longest length.
    const msg = 'The stream is too long for one answer. Read it with "accept: text/event-stream".';
    throw new OutputError([{ loc: ["output"], msg, type: "output_invalid" }]);
  }
}

/** One server-sent event. JSON text has no line breaks of its own, so one `data` line holds it. */
export function sentEvent(event: "chunk" | "error" | "done", json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

/** The events of a streamed call: each chunk, then `done` with the call's ids, or `error`. */
export function streamEvents(reading: StreamReading, record: CallRecord): EventSource {
  const { signal } = reading;
  const source = new ChunkSource(reading);
  // Ends the call there and then: a client that went away asks for no further event.
  signal.onAbort((reason) => {
    source.leave();
    record.end(reason, signal);
  });
  return { events: eventsOf(source, reading, record), abandon: () => signal.abort("client-gone") };
}

async function* eventsOf(
  source: ChunkSource,
  { signal }: StreamReading,
  record: CallRecord,
): AsyncGenerator<string, void, void> {
  try {
    for (;;) {
      const step = await source.next();
      if (step.done) break;
      const text = outputText(step.value, "chunk");
      record.chunks.add(step.value);
      yield sentEvent("chunk", text);
    }
    signal.settle();
    const trace = await record.succeed(record.chunks.value());
    yield sentEvent("done", `{${answerEnd(record.span, trace)}`);
  } catch (thrown) {
    const { error, trace } = await record.fail(thrown, signal);
    signal.settle();
    yield sentEvent("error", errorText(record.answered(error), record.span, await trace));
  } finally {
    // Left by its consumer, unless it has come to its end.
    signal.abort("client-gone");
    source.leave();
    signal.settle();
  }
}
