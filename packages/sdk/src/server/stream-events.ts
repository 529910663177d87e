import type { EventSource } from "./answer.ts";
import type { CallRecord } from "./call-record.ts";
import { outputText } from "./check-output.ts";
import { ChunkSource, type StreamReading } from "./chunk-source.ts";
import { answerEnd, errorText } from "./respond.ts";
import { sentEvent } from "./sent-event.ts";

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
    const { error, trace } = record.end(thrown, signal);
    signal.settle();
    yield sentEvent("error", errorText(record.shown(error), record.span, await trace));
  } finally {
    // Left by its consumer, unless it has come to its end.
    signal.abort("client-gone");
    source.leave();
    signal.settle();
  }
}
