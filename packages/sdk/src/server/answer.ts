/** The method by which an app answers. */
export const ANSWER: unique symbol = Symbol.for("agate.sdk.answer");

/** An answer, before it is written to whatever asked. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | EventSource;
  /** True where nothing is served at the path: somebody else may have it. */
  readonly isUnserved?: true;
}

/** The events of a streamed answer. */
export interface EventSource {
  readonly events: AsyncGenerator<string, void, void>;
  /** The client went away: ends what the events are made from, even if it hangs. */
  abandon(): void;
}

export function jsonAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: text };
}

/** An answer as a web response. The next event is only asked for when the client has room for it. */
export function toResponse({ status, headers, body }: Answer): Response {
  if (typeof body !== "string") return new Response(eventStream(body), { status, headers });
  // Not even an empty text is allowed with a 204.
  return new Response(body === "" ? null : body, { status, headers });
}

function eventStream({ events, abandon }: EventSource): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      // First, for a generator that waits for its source only returns once that wait is over.
      abandon();
      await events.return();
    },
  });
}
