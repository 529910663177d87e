import { constants } from "node:http2";
import type { Duplex } from "node:stream";

const SETTINGS = 0x4;
const GOAWAY = 0x7;
/** Time for the client to read why: closed at once, it could be lost with what was unread. */
const LINGER_MS = 1_000;

/** Ends an HTTP/2 connection with a reason, which gRPC clients show in their error. */
export function refuseHttp2(socket: Duplex, reason: string): void {
  const goaway = Buffer.alloc(8);
  goaway.writeUInt32BE(constants.NGHTTP2_HTTP_1_1_REQUIRED, 4);
  const answer = [
    frame(SETTINGS, Buffer.alloc(0)),
    frame(GOAWAY, Buffer.concat([goaway, Buffer.from(reason)])),
  ];
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(linger));
  socket.end(Buffer.concat(answer));
}

/** A frame of the whole connection: length, type, flags and a stream of 0, then its payload. */
function frame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  return Buffer.concat([head, payload]);
}
