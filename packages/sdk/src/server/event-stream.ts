/** One server-sent event. JSON text has no line breaks of its own, so one `data` line holds it. */
export function sentEvent(event: "chunk" | "error" | "done", json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

/**
 * Turns events into a body. The next one is only asked for when the client has room for it, and a
 * client that goes away ends the source.
 */
export function eventBody(
  events: AsyncGenerator<string, void, void>,
  onClientGone: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      // First, for a generator that waits for its source only returns once that wait is over.
      onClientGone();
      await events.return();
    },
  });
}
