import { createParser } from "eventsource-parser";
import { type ReadOptions, readText } from "./read-body.ts";

export interface ServerSentEvent {
  /** `message` where the server names none. */
  readonly event: string;
  readonly data: string;
}

export interface ReadEventsOptions extends ReadOptions {
  /** How many characters an incomplete event may have: beyond, the body is no event stream, and reading it fails. */
  readonly maxLength?: number | undefined;
}

/**
 * The server-sent events of a body as they arrive. `EventSource` can neither POST nor send headers, so
 * bodies of `fetch` are read. An event that the body ends in the middle of is left out.
 *
 * @example for await (const { event, data } of readEvents(response.body)) …
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { maxLength, ...options }: ReadEventsOptions = {},
): AsyncGenerator<ServerSentEvent, void, void> {
  const complete: ServerSentEvent[] = [];
  let isTooLong = false;
  const parser = createParser({
    onEvent: ({ event = "message", data }) => complete.push({ event, data }),
    ...(maxLength !== undefined && {
      maxBufferSize: maxLength,
      // Its other errors are unknown fields, which the specification says to ignore.
      onError: ({ type }) => {
        isTooLong ||= type === "max-buffer-size-exceeded";
      },
    }),
  });
  for await (const text of readText(body, options)) {
    parser.feed(text);
    yield* complete.splice(0);
    if (isTooLong) throw new Error(`an event is longer than ${maxLength} characters`);
  }
}
