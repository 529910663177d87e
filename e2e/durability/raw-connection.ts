import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** A connection on which a request can be sent piece by piece. */
export interface RawConnection extends Disposable {
  /** Resolves when the bytes are on their way. */
  send(bytes: string): Promise<void>;
  /** Everything the server sends until it closes the connection. */
  readonly received: Promise<string>;
}

/** @throws when the server does not take connections. */
export async function openConnection(serverUrl: string): Promise<RawConnection> {
  const { hostname, port } = new URL(serverUrl);
  const socket: Socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const received = text(socket);
  // The caller gets the error if it waits for it; it need not.
  received.catch(() => {});
  return {
    send: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
    received,
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/** A request in two parts, the second one without which the first is of no use. */
export function requestInHalves(serverUrl: string, body: string): [string, string] {
  const head = [
    "POST /v1/traces HTTP/1.1",
    `host: ${new URL(serverUrl).host}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    "",
  ].join("\r\n");
  const middle = Math.floor(body.length / 2);
  return [head + body.slice(0, middle), body.slice(middle)];
}
