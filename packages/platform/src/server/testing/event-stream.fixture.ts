import type { IncomingMessage } from "node:http";
import { get } from "node:http";

export interface TestEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  readonly data: any;
}

/** A client of server-sent events. */
export interface EventStream {
  readonly response: IncomingMessage;
  /** The next event; undefined when the stream has ended. */
  next(): Promise<TestEvent | undefined>;
  close(): void;
}

/**
 * Opens a stream and waits for its first bytes: the server sends headers before it watches for changes, and a
 * comment once it does.
 */
export function openEventStream(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const request = get({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
      const events = eventsOf(response);
      const stream: EventStream = {
        response,
        next: async () => (await events.next()).value ?? undefined,
        close: () => request.destroy(),
      };
      response.once("readable", () => resolve(stream));
    });
    request.on("error", reject);
  });
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<TestEvent, void> {
  let rest = "";
  response.setEncoding("utf8");
  for await (const text of response) {
    rest += text;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const event = fields(lines, "event").join("");
      if (event !== "") yield { event, data: JSON.parse(fields(lines, "data").join("\n")) };
    }
  }
}

function fields(lines: readonly string[], name: string): string[] {
  return lines
    .filter((line) => line.startsWith(`${name}: `))
    .map((line) => line.slice(name.length + 2));
}
