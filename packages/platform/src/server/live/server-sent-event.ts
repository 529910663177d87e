import type { StreamAnswer } from "../answer.ts";

const encoder = new TextEncoder();

/** Several events, each with one of these JSON texts as its data. */
export function serverSentEvents(event: string, data: readonly string[]): Uint8Array {
  // JSON as a client sent it may hold line breaks between its tokens, which would end the data.
  const texts = data.map(
    (json) => `event: ${event}\ndata: ${json.replace(/\r\n|\r|\n/g, "\ndata: ")}\n\n`,
  );
  return encoder.encode(texts.join(""));
}

/** Tells a client that it did not get everything, so that it can load the list anew. */
export function laggedEvent(missed: number): Uint8Array {
  return serverSentEvents("lagged", [JSON.stringify({ missed })]);
}

/** A line that clients ignore: it keeps connections open and shows when they are broken. */
export function comment(text: string, retryMs?: number): Uint8Array {
  return encoder.encode(`: ${text}\n${retryMs === undefined ? "" : `retry: ${retryMs}\n`}\n`);
}

export const EVENT_STREAM = "text/event-stream";

/** 200 with a stream of events. */
export function eventStreamAnswer(open: StreamAnswer["open"]): StreamAnswer {
  return {
    kind: "stream",
    status: 200,
    contentType: EVENT_STREAM,
    // A proxy that collects the stream first would make it useless.
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
    open,
  };
}
