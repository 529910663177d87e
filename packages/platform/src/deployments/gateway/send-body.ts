import type { IncomingMessage } from "node:http";
import type { RequestBody } from "./request-head.ts";
import type { UpstreamConnection } from "./upstream-connection.ts";

/**
 * Sends a request as its body comes in, no faster than the service takes it.
 *
 * @param onSent Told when all of it is on its way.
 */
export function sendBody(
  incoming: IncomingMessage,
  connection: UpstreamConnection,
  head: string,
  body: RequestBody,
  onSent: () => void,
): { readonly stop: () => void; readonly continue: () => void } {
  const isChunked = body.kind === "chunked";
  connection.write(head);
  const onData = (chunk: Buffer): void => {
    if (!isChunked) {
      if (!connection.write(chunk)) incoming.pause();
      return;
    }
    connection.cork();
    connection.write(`${chunk.length.toString(16)}\r\n`);
    connection.write(chunk);
    const isRoomy = connection.write("\r\n");
    connection.uncork();
    if (!isRoomy) incoming.pause();
  };
  const onEnd = (): void => {
    if (isChunked) connection.write(`0\r\n${trailersOf(incoming)}\r\n`);
    onSent();
  };
  incoming.on("data", onData);
  incoming.on("end", onEnd);
  return {
    stop: () => {
      incoming.off("data", onData);
      incoming.off("end", onEnd);
      // What is left is thrown away: the client's connection may have a next request.
      incoming.resume();
    },
    continue: () => incoming.resume(),
  };
}

function trailersOf({ rawTrailers }: IncomingMessage): string {
  let text = "";
  for (let n = 0; n < rawTrailers.length; n += 2) {
    text += `${rawTrailers[n]}: ${rawTrailers[n + 1]}\r\n`;
  }
  return text;
}
