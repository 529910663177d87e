import { constants, createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { problemAnswer } from "../answer.ts";
import { refuse } from "../http-server.ts";
import { listenFailure, type PortOption } from "../listen-address.ts";
import { type ServeOptions, serveCall } from "./serve-call.ts";

export interface GrpcServerOptions extends Pick<ServeOptions, "handle" | "requests" | "onError"> {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Connections at a time; further ones are closed at once. */
  readonly maxConnections: number;
  /** Told how many connections are open, at each change. */
  readonly onConnections?: (open: number) => void;
  /** Where HTTP is served, for clients that have mixed up the ports. */
  readonly httpUrl: string;
  /** A client has begun with TLS, which the server does not speak. */
  readonly onTls: () => void;
  /** Tests use short ones. */
  readonly timeouts?: Partial<GrpcTimeouts>;
}

/** In milliseconds. */
interface GrpcTimeouts {
  /** For the first bytes of a connection. */
  readonly preface: number;
  /** For a call, from its first byte to its answer; less where the client sets a deadline. */
  readonly call: number;
  /** For a connection without a call. */
  readonly idle: number;
  /** For the client to close its side, once the server has. */
  readonly linger: number;
}

export type GrpcListenOutcome =
  | { readonly kind: "listening"; readonly server: GrpcServer }
  /** One sentence for the person who started it. */
  | { readonly kind: "refused"; readonly reason: string };

export interface GrpcServer {
  readonly port: number;
  /** What exporters take as their endpoint: `http://127.0.0.1:4317`. */
  readonly url: string;
  /**
   * Stops accepting, finishes the calls under way, and after `graceMs` breaks off what is left.
   * Resolves with how many connections that were.
   */
  close(graceMs: number): Promise<number>;
}

const SECOND = 1000;
const TIMEOUTS: GrpcTimeouts = {
  preface: 20 * SECOND,
  call: 120 * SECOND,
  idle: 300 * SECOND,
  linger: SECOND,
};
/** Calls at a time in one connection. Exporters have one or a few. */
const MOST_STREAMS = 100;
/** What a client may send of a message before the server has taken anything: it is read at once. */
const STREAM_WINDOW = 1024 ** 2;
const CONNECTION_WINDOW = 4 * 1024 ** 2;
/** Clients check their connection with a ping every few seconds; more than this is a flood. */
const MOST_PINGS = 100;
const PING_PERIOD_MS = 10 * SECOND;

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/** The first byte of a TLS handshake. */
const TLS_HANDSHAKE = 0x16;

/** Serves unary gRPC calls over HTTP/2 without TLS. */
export function startGrpcServer(options: GrpcServerOptions): Promise<GrpcListenOutcome> {
  const { host, port } = options;
  const connections = new GrpcConnections(options);
  const server = createServer({ noDelay: true }, (socket) => connections.take(socket));
  server.maxConnections = options.maxConnections;
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = listenFailure(error.code, host, port, OPTION);
      if (reason === undefined) reject(error);
      else resolve({ kind: "refused", reason });
    });
    server.listen({ host, port }, () => {
      const bound = (server.address() as AddressInfo).port;
      const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
      const close = (graceMs: number) => closeServer(server, connections, graceMs);
      resolve({ kind: "listening", server: { port: bound, url, close } });
    });
  });
}

const OPTION: PortOption = { port: "--otlp-grpc", host: "--otlp-grpc" };

async function closeServer(
  server: Server,
  connections: GrpcConnections,
  graceMs: number,
): Promise<number> {
  // Calls that have arrived by now are still answered.
  await nextTurn();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  connections.close();
  const waiting = new AbortController();
  const timeout = delay(graceMs, "late", { signal: waiting.signal }).catch(() => "stopped waiting");
  const first = await Promise.race([closed, timeout]);
  waiting.abort();
  if (first !== "late") return 0;
  const left = connections.destroy();
  await closed;
  return left;
}

/** The open connections of a server. */
class GrpcConnections {
  readonly #options: GrpcServerOptions;
  readonly #timeouts: GrpcTimeouts;
  readonly #http2 = createHttp2Server({
    settings: { maxConcurrentStreams: MOST_STREAMS, initialWindowSize: STREAM_WINDOW },
  });
  readonly #sockets = new Set<Socket>();
  /** Without their first bytes yet. */
  readonly #silent = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(options: GrpcServerOptions) {
    this.#options = options;
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts };
    this.#http2.on("session", (session) => this.#open(session));
    // The connection is closed by Node; what a client does wrong is not the server's error.
    this.#http2.on("sessionError", () => {});
  }

  take(socket: Socket): void {
    this.#sockets.add(socket);
    this.#silent.add(socket);
    this.#options.onConnections?.(this.#sockets.size);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#options.onConnections?.(this.#sockets.size);
    });
    socket.on("error", () => socket.destroy());
    // Closed by the server, a connection stays half open until the client closes it, too.
    socket.once("finish", () => {
      const linger = setTimeout(() => socket.destroy(), this.#timeouts.linger).unref();
      socket.once("close", () => clearTimeout(linger));
    });
    void this.#begin(socket);
  }

  /** Finds out by its first bytes what a connection speaks. */
  async #begin(socket: Socket): Promise<void> {
    const bytes = await firstBytes(socket, this.#timeouts.preface);
    this.#silent.delete(socket);
    if (bytes === undefined) {
      socket.destroy();
    } else if (bytes.equals(PREFACE)) {
      socket.unshift(bytes);
      this.#http2.emit("connection", socket);
    } else if (bytes[0] === TLS_HANDSHAKE) {
      this.#options.onTls();
      socket.destroy();
    } else {
      const msg = `This port takes OTLP over gRPC, which is HTTP/2. HTTP/1.1 is served at ${this.#options.httpUrl}.`;
      refuse(socket, problemAnswer({ type: "request_malformed", loc: [], msg }));
      socket.resume();
    }
  }

  #open(session: ServerHttp2Session): void {
    const { idle, call } = this.#timeouts;
    const { handle, requests, onError } = this.#options;
    const address = session.socket.remoteAddress;
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    session.setLocalWindowSize(CONNECTION_WINDOW);
    // Tells the client, and closes it after the calls under way.
    session.setTimeout(idle, () => session.close());
    limitPings(session);
    session.on("stream", (stream, headers) => {
      void serveCall(stream, headers, address, { handle, requests, onError, timeoutMs: call });
    });
  }

  close(): void {
    for (const socket of this.#silent) socket.destroy();
    for (const session of this.#sessions) session.close();
  }

  /** @returns how many were open. */
  destroy(): number {
    const left = this.#sockets.size;
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    return left;
  }
}

/** As many bytes as a preface has, or fewer that are none; undefined where they do not come in time. */
function firstBytes(socket: Socket, timeoutMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const finish = (outcome: Buffer | undefined) => {
      clearTimeout(timer);
      socket.off("readable", onReadable);
      socket.off("end", onEnd);
      socket.off("close", onEnd);
      resolve(outcome);
    };
    const onReadable = () => {
      const missing = PREFACE.length - bytes.length;
      const chunk = socket.read(Math.min(missing, socket.readableLength)) as Buffer | null;
      if (chunk === null) return;
      bytes = Buffer.concat([bytes, chunk]);
      const isPreface = PREFACE.subarray(0, bytes.length).equals(bytes);
      if (!isPreface || bytes.length === PREFACE.length) finish(bytes);
    };
    const onEnd = () => finish(undefined);
    const timer = setTimeout(onEnd, timeoutMs).unref();
    socket.on("readable", onReadable);
    socket.on("end", onEnd);
    socket.on("close", onEnd);
  });
}

/** Closes a connection that sends pings by the hundred; each of them is to be answered. */
function limitPings(session: ServerHttp2Session): void {
  let since = 0;
  let count = 0;
  session.on("ping", () => {
    const now = performance.now();
    if (now - since > PING_PERIOD_MS) {
      since = now;
      count = 0;
    }
    count += 1;
    if (count <= MOST_PINGS || session.destroyed) return;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from("too_many_pings"));
    session.destroy();
  });
}
