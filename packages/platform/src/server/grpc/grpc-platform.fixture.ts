import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect, type Socket } from "node:net";
import type { RequestEntry } from "../log/request-log.ts";
import type { TestPlatform, TestPlatformOptions } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";
import { type GrpcServerOptions, startGrpcServer } from "./grpc-server.ts";
import { createOtlpServices } from "./otlp-services.ts";

export const EXPORT_TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
export const EXPORT_LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

export interface GrpcPlatform extends AsyncDisposable {
  readonly platform: TestPlatform;
  readonly port: number;
  /** The log's lines of calls so far. */
  readonly calls: readonly RequestEntry[];
  /** How many connections are open. */
  connections(): number;
  /** Closes the gRPC listener alone. */
  stop(graceMs?: number): Promise<number>;
}

type GrpcOptions = Pick<TestPlatformOptions, "policy" | "maxBodyBytes"> &
  Partial<GrpcServerOptions>;

/** A platform with real parts that takes OTLP over gRPC on a free port. */
export async function startGrpcPlatform(
  options: TestPlatformOptions & GrpcOptions = {},
): Promise<GrpcPlatform> {
  const platform = await startTestPlatform(options);
  const grpc = await listenForGrpc(platform, options);
  return {
    ...grpc,
    [Symbol.asyncDispose]: async () => {
      await grpc[Symbol.asyncDispose]();
      await platform.close();
    },
  };
}

/** Takes OTLP over gRPC for a platform that goes on when the listener is disposed of. */
export async function listenForGrpc(
  platform: TestPlatform,
  options: GrpcOptions = {},
): Promise<GrpcPlatform> {
  const calls: RequestEntry[] = [];
  let open = 0;
  const handle = createOtlpServices({
    ingest: platform.ingest,
    access: platform.access,
    hostPolicy: options.policy === "keys" ? "any" : "loopback",
    health: { closing: platform.deployer.closing, readiness: platform.readiness },
    maxBodyBytes: options.maxBodyBytes ?? 1024 ** 2,
    onUnavailable: () => {},
  });
  const outcome = await startGrpcServer({
    handle,
    requests: { record: (entry) => calls.push(entry), flush: () => {} },
    onError: (error) => {
      throw error;
    },
    host: "127.0.0.1",
    port: 0,
    maxConnections: 100,
    onConnections: (count) => {
      open = count;
    },
    httpUrl: platform.server.url,
    onTls: () => {},
    ...options,
  });
  if (outcome.kind !== "listening") throw new Error(outcome.reason);
  const { server } = outcome;
  return {
    platform,
    port: server.port,
    calls,
    connections: () => open,
    stop: (graceMs = 5_000) => server.close(graceMs),
    [Symbol.asyncDispose]: async () => {
      await server.close(0);
    },
  };
}

/** A message of a call, with its prefix. */
export function framed(message: Uint8Array, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flag, 0);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** How a call ended. */
export interface CallEnd {
  readonly http: number | undefined;
  /** Of headers and trailers together. */
  readonly status: string | undefined;
  readonly message: string;
  readonly details: string | undefined;
  readonly body: Buffer;
  readonly rstCode: number | undefined;
}

export interface RawCall {
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent one by one; the call is left open where the last is null. */
  readonly chunks?: readonly (Uint8Array | null)[];
}

/** Sends a call over a connection of `node:http2`, with bytes as they are given. */
export async function callOver(session: ClientHttp2Session, call: RawCall): Promise<CallEnd> {
  const { path = EXPORT_TRACES, headers = {}, chunks = [framed(Buffer.alloc(0))] } = call;
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  const received: OutgoingHttpHeaders = {};
  const body: Buffer[] = [];
  stream.on("response", (head) => Object.assign(received, head));
  stream.on("trailers", (trailers) => Object.assign(received, trailers));
  stream.on("data", (chunk: Buffer) => body.push(chunk));
  stream.on("error", () => {});
  const closed = once(stream, "close");
  for (const chunk of chunks) if (chunk !== null) stream.write(chunk);
  if (chunks.at(-1) !== null) stream.end();
  await closed;
  return {
    http: received[":status"] as unknown as number | undefined,
    status: received["grpc-status"] as string | undefined,
    message: decodeURIComponent(String(received["grpc-message"] ?? "")),
    details: received["grpc-status-details-bin"] as string | undefined,
    body: Buffer.concat(body),
    rstCode: stream.rstCode,
  };
}

/** A connection that ends with the test. */
export function openHttp2(port: number): ClientHttp2Session & Disposable {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on("error", () => {});
  return Object.assign(session, { [Symbol.dispose]: () => session.destroy() });
}

/** Sends bytes over a connection of their own, and gives what comes back until it is closed. */
export async function sendBytes(port: number, bytes: Uint8Array | string): Promise<Buffer> {
  const socket = await openSocket(port);
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  const closed = once(socket, "close");
  socket.write(bytes);
  await closed;
  return Buffer.concat(received);
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}
