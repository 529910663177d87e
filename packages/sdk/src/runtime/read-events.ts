const LINE_END = /\r\n|\r|\n/;

export interface ReceivedEvent {
  /** `message` where the sender gives none. */
  readonly event: string;
  readonly data: string;
}

export interface ReadEventsOptions {
  /** Is called for every sign of life, comments included. */
  readonly heard?: (() => void) | undefined;
  /** Characters after which a line is none: the body is something else than an event stream. */
  readonly longestLine?: number | undefined;
}

/** The server-sent events of a body as they arrive. Leaving the loop ends the body. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { heard, longestLine = Number.POSITIVE_INFINITY }: ReadEventsOptions = {},
): AsyncGenerator<ReceivedEvent, void, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const completed = eventParser(longestLine);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard?.();
      yield* completed(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => {
      // It was broken already; whoever reads has seen why.
    });
  }
}

/** Takes the text piece by piece, and gives the events that each piece completes. */
function eventParser(longestLine: number): (text: string) => Iterable<ReceivedEvent> {
  let rest = "";
  let afterReturn = false;
  let event = "";
  let data: string[] = [];

  return function* (text) {
    if (text === "") return;
    // `\r` ended a line at once; this is the other half of its `\r\n`.
    const lines = (rest + (afterReturn && text.startsWith("\n") ? text.slice(1) : text)).split(
      LINE_END,
    );
    afterReturn = text.endsWith("\r");
    rest = lines.pop()!;
    if (rest.length > longestLine) throw new Error("a line of it has no end");
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0)
          yield { event: event === "" ? "message" : event, data: data.join("\n") };
        event = "";
        data = [];
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") event = value;
      else if (field === "data") data.push(value);
    }
  };
}
