import { createInterface } from "node:readline";
import { Readable } from "node:stream";

/** The events of traces that a server sends on an open stream. */
export interface LiveTraces extends AsyncDisposable {
  /** In the order of arrival, as "trace 4bf9…" or "update 4bf9…". */
  readonly events: readonly string[];
  /** Resolves when the server has ended the stream, or it broke. */
  readonly ended: Promise<void>;
}

/** Begins to listen; from when this resolves on, nothing is missed. */
export async function followTraces(
  serverUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<LiveTraces> {
  const leaving = new AbortController();
  const response = await fetch(`${serverUrl}/observability/live/`, {
    headers,
    signal: leaving.signal,
  });
  if (response.status !== 200 || response.body === null) {
    throw new Error(`The stream was answered ${response.status}: ${await response.text()}`);
  }
  const events: string[] = [];
  const connected = Promise.withResolvers<void>();
  const ended = read(response.body, events, connected.resolve);
  await Promise.race([connected.promise, ended]);
  return {
    events,
    ended,
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await ended;
    },
  };
}

async function read(
  body: ReadableStream<Uint8Array>,
  events: string[],
  onConnected: () => void,
): Promise<void> {
  const stream = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  const lines = createInterface({ input: stream });
  let event = "";
  try {
    for await (const line of lines) {
      if (line === ": connected") onConnected();
      if (line.startsWith("event: ")) event = line.slice("event: ".length);
      if (line.startsWith("data: ")) events.push(`${event} ${traceIdIn(line)}`);
    }
  } catch {
    // Broken off, by us or by the server.
  }
}

function traceIdIn(line: string): string {
  return (JSON.parse(line.slice("data: ".length)) as { trace_id: string }).trace_id;
}
