import { once } from "node:events";
import { connect } from "node:net";
import type { ClientBase } from "pg";

/** Protocol version 1234.5678: a request to cancel in place of a start. */
const CANCEL_REQUEST = (1234 << 16) | 5678;
const REQUEST_BYTES = 16;
const PATIENCE_MS = 5_000;

/** What `pg` knows of a connection; its types leave these out. */
interface CancelKey {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Asks PostgreSQL to cancel what a connection runs, over a connection of its own as the protocol has
 * it, through a pooler as well. Resolves when the request was taken. PostgreSQL takes such a request
 * without TLS; a proxy that does not leaves the statement to its timeout.
 */
export async function cancelStatement(client: ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as CancelKey;
  const request = Buffer.alloc(REQUEST_BYTES);
  request.writeInt32BE(REQUEST_BYTES, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.unref().resume().end(request);
  await once(socket, "close");
}
