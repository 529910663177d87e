import { ChunkList } from "../tracing/chunk-list.ts";
import { callError } from "./call-error.ts";
import type { CallRecord } from "./call-record.ts";
import { outputText } from "./check-output.ts";
import { failureOf } from "./failure-of.ts";
import { readStream, type StreamReading } from "./read-stream.ts";
import { answerEnd, errorText } from "./respond.ts";
import { sentEvent } from "./sent-event.ts";

/** The events of a streamed call: each chunk, then `done` with the call's ids, or `error`. */
export async function* streamEvents(
  reading: StreamReading,
  record: CallRecord,
): AsyncGenerator<string, void, void> {
  const { signal } = reading;
  const log = new ChunkList();
  try {
    for await (const chunk of readStream(reading)) {
      log.add(chunk);
      yield sentEvent("chunk", outputText(chunk, "chunk"));
    }
    signal.settle();
    const trace = await record.succeed(log.value());
    yield sentEvent("done", `{${answerEnd(record.span, trace)}`);
  } catch (thrown) {
    const error = failureOf(thrown, signal);
    const trace = await record.fail(error, thrown);
    yield sentEvent("error", errorText(record.shown(error), record.span, trace));
  } finally {
    signal.settle();
    if (!record.ended) {
      await record.refuse(callError("client_closed_request", [], "The client went away."));
    }
  }
}
