export interface ReceivedEvent {
  /** `message` where the sender gives none. */
  readonly event: string;
  readonly data: string;
}

export interface ReadEventsOptions {
  /** Is called for every sign of life, comments included. */
  readonly heard?: (() => void) | undefined;
  /** Ends the reading with its reason. Deno does not always end the body of a fetch that was aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Characters after which a line is none: the body is something else than an event stream. */
  readonly longestLine?: number | undefined;
}

/** The server-sent events of a body as they arrive. Leaving the loop ends the body. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { heard, signal, longestLine = Number.POSITIVE_INFINITY }: ReadEventsOptions = {},
): AsyncGenerator<ReceivedEvent, void, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const completed = eventParser(longestLine);
  const cancel = () =>
    reader.cancel().catch(() => {
      // The body was broken already; its reader has seen why.
    });
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      heard?.();
      yield* completed(decoder.decode(value, { stream: true }));
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    await cancel();
  }
}

/**
 * Takes the text piece by piece, and gives the events that each piece completes. Every character is
 * looked at once: the pieces of a line are joined when its end is there, not with every piece.
 */
function eventParser(longestLine: number): (text: string) => Iterable<ReceivedEvent> {
  const lineEnd = /\r\n|\r|\n/g;
  /** The line that has no end yet. */
  let pieces: string[] = [];
  let pending = 0;
  let afterReturn = false;
  let event = "";
  let data: string[] = [];

  return function* (text) {
    if (text === "") return;
    // `\r` ended a line at once; this is the other half of its `\r\n`.
    let start = afterReturn && text.startsWith("\n") ? 1 : 0;
    afterReturn = text.endsWith("\r");
    lineEnd.lastIndex = start;
    for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
      pieces.push(text.slice(start, end.index));
      const line = pieces.length === 1 ? pieces[0]! : pieces.join("");
      pieces = [];
      pending = 0;
      start = lineEnd.lastIndex;
      if (line !== "") {
        readField(line);
        continue;
      }
      const completed = { event: event === "" ? "message" : event, data };
      event = "";
      data = [];
      if (completed.data.length > 0) yield { ...completed, data: completed.data.join("\n") };
    }
    if (start === text.length) return;
    pieces.push(start === 0 ? text : text.slice(start));
    pending += text.length - start;
    if (pending > longestLine) throw new Error("a line of it has no end");
  };

  function readField(line: string): void {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "event" && field !== "data") return;
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") event = value;
    else data.push(value);
  }
}
