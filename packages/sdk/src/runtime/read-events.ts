export interface ReceivedEvent {
  readonly event: string;
  readonly data: string;
}

/** The server-sent events of a body, by the rules of the HTML standard. Leaving the loop ends the body. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ReceivedEvent, void, void> {
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as TextDecoding).getReader();
  let rest = "";
  let event = "";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      // A carriage return at the end may be the first half of a line break.
      const lines = rest.split(/\r\n|\n|\r(?=[^\n])/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { event: event || "message", data: data.join("\n") };
          event = "";
          data = [];
          continue;
        }
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "event") event = text;
        else if (field === "data") data.push(text);
      }
    }
  } finally {
    await reader.cancel();
  }
}

type TextDecoding = ReadableWritablePair<string, Uint8Array>;
