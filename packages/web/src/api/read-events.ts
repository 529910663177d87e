import { EventSourceParserStream } from "eventsource-parser/stream";

/** A server-sent event, its data parsed. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/**
 * The server-sent events of an answer, as they arrive. `EventSource` can neither POST nor send
 * headers, so answers are read by hand.
 *
 * @example for await (const { event, data } of readEvents(response)) …
 */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void> {
  if (response.body === null) return;
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield { event: value.event ?? "message", data: JSON.parse(value.data) };
    }
  } finally {
    // Left early: the server should not go on sending.
    await reader.cancel().catch(() => undefined);
  }
}
