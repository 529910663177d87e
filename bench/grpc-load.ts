import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import type { LoadOptions, LoadResult } from "./http-load.ts";

const EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/** Calls that are under way on a connection at a time: an exporter's connection carries several. */
const CALLS_PER_CONNECTION = 4;

/** A message of a call: whether it is compressed, its length, its bytes. */
export function grpcMessage(body: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

/** Sends messages to the trace service over few connections, each with several calls, until there are no more. */
export async function grpcLoad(options: Omit<LoadOptions, "onAnswer">): Promise<LoadResult> {
  const { port, connections, next } = options;
  const sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${port}`));
  await Promise.all(sessions.map((session) => once(session, "connect")));
  let answers = 0;
  const started = performance.now();
  const callers = sessions.flatMap((session) => Array(CALLS_PER_CONNECTION).fill(session));
  await Promise.all(
    callers.map(async (session: ClientHttp2Session) => {
      for (let message = next(); message !== undefined; message = next()) {
        await send(session, message);
        answers++;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const session of sessions) session.close();
  return { answers, seconds, perSecond: answers / seconds };
}

/** @throws where the call does not end with the status OK. */
async function send(session: ClientHttp2Session, message: Buffer): Promise<void> {
  const stream = session.request({
    ":method": "POST",
    ":path": EXPORT,
    "content-type": "application/grpc",
    te: "trailers",
  });
  let status: unknown;
  const take = (headers: Record<string, unknown>) => {
    status = headers["grpc-status"] ?? status;
  };
  stream.on("response", take);
  stream.on("trailers", take);
  stream.resume();
  const closed = once(stream, "close");
  stream.end(message);
  await closed;
  if (status !== "0") throw new Error(`The export ended with the gRPC status ${status}`);
}
