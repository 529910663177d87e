import { once } from "node:events";
import { connect } from "node:net";

/** A call whose answer nothing reads. */
export interface OpenCall {
  /** Breaks the connection off, and waits until it is gone. */
  reset(): Promise<void>;
}

/**
 * Sends a call on a connection of its own, which can be reset: workerd takes a connection that is closed in the
 * usual way for one whose client still waits for the answer.
 */
export async function openCall(url: string, inputs: object): Promise<OpenCall> {
  const { hostname, port, pathname } = new URL(url);
  const body = JSON.stringify({ inputs });
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    "accept: text/event-stream",
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  socket.resume();
  return {
    async reset() {
      socket.resetAndDestroy();
      await once(socket, "close");
    },
  };
}
