const LINE_END = /\r\n|\r|\n/;
/** Characters; the events have next to no data, so this is something else than an event stream. */
const LONGEST_LINE = 1 << 20;

/**
 * The names of a stream's server-sent events, as they arrive; an event without a name is a `message`.
 * `heard` is called for every sign of life, comments included.
 */
export async function* readEventNames(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const names = eventNames();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      yield* names(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => {
      // It was broken already; whoever reads has seen why.
    });
  }
}

/** Takes the text piece by piece, and gives the names of the events that each piece completes. */
function eventNames(): (text: string) => Iterable<string> {
  let rest = "";
  let afterReturn = false;
  let name = "";
  let hasFields = false;

  return function* (text) {
    if (text === "") return;
    // `\r` ended a line at once; this is the other half of its `\r\n`.
    const lines = (rest + (afterReturn && text.startsWith("\n") ? text.slice(1) : text)).split(
      LINE_END,
    );
    afterReturn = text.endsWith("\r");
    rest = lines.pop()!;
    if (rest.length > LONGEST_LINE) throw new Error("a line of it has no end");
    for (const line of lines) {
      if (line === "") {
        if (hasFields) yield name === "" ? "message" : name;
        name = "";
        hasFields = false;
      } else if (!line.startsWith(":")) {
        hasFields = true;
        if (line.startsWith("event:")) name = line.slice("event:".length).replace(/^ /, "");
      }
    }
  };
}
