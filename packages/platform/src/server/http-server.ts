import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { CALLER, NOT_KEPT, type Sender } from "./admit.ts";
import type { FullAnswer } from "./answer.ts";
import { problemAnswer } from "./answer.ts";
import { refuseHttp2 } from "./grpc/refuse-http2.ts";
import type { HttpApp } from "./http-app.ts";
import { listenFailure } from "./listen-address.ts";
import { pathOf, type RequestLog } from "./log/request-log.ts";
import { headersOf, sendAnswer } from "./send-answer.ts";

export interface HttpServerOptions {
  readonly app: HttpApp;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly requests: RequestLog;
  /** Connections at a time; further ones are closed at once. */
  readonly maxConnections?: number;
  /** Called for a connection that begins with HTTP/2. @returns what its client is told. */
  readonly onHttp2?: () => string;
  /** Tests use short ones. */
  readonly timeouts?: Partial<RequestTimeouts>;
}

/** In milliseconds. */
interface RequestTimeouts {
  /** For the head of a request to arrive. */
  readonly headers: number;
  /** For all of it. */
  readonly request: number;
  /** How often the two are checked. */
  readonly check: number;
}

export type ListenOutcome =
  | { readonly kind: "listening"; readonly server: HttpServer }
  /** One sentence for the person who started it. */
  | { readonly kind: "refused"; readonly reason: string };

export interface HttpServer {
  readonly port: number;
  /** Where it can be reached, for people: `http://127.0.0.1:4100`. */
  readonly url: string;
  /**
   * Stops accepting, finishes the requests under way, and after `graceMs` breaks off what is left.
   * Resolves with how many connections that were.
   */
  close(graceMs?: number): Promise<number>;
  /** Takes fewer connections by those that another listener has open. */
  shareConnections(others: number): void;
}

const SECOND = 1000;
const GRACE_MS = 10 * SECOND;
/** Of the request line with its filters, and all headers. */
const MAX_HEADER_BYTES = 64 * 1024;
const TIMEOUTS: RequestTimeouts = {
  headers: 20 * SECOND,
  request: 120 * SECOND,
  check: 10 * SECOND,
};

/** What a server holds at the moment. */
interface ServerState {
  isClosing: boolean;
  /**
   * The open connections, each with its last response. Undefined before the first: browsers and pools
   * open connections in advance, and Node does not count these as idle.
   *
   * Not a set of the responses under way: V8 makes a new table for a set after every few dozen entries,
   * and the old tables, once in the old generation, keep the responses in them until a full collection.
   */
  readonly connections: Map<Socket, ServerResponse | undefined>;
}

/** Serves the app over HTTP, with a log line a request. */
export function startHttpServer(options: HttpServerOptions): Promise<ListenOutcome> {
  const { app, host, port, maxConnections } = options;
  const state: ServerState = { isClosing: false, connections: new Map() };
  const server = nodeServer(options, state);
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = listenFailure(error.code, host, port);
      if (reason === undefined) reject(error);
      else resolve({ kind: "refused", reason });
    });
    server.listen({ host, port }, () => {
      const bound = (server.address() as AddressInfo).port;
      const shownHost = host.includes(":") ? `[${host}]` : host;
      const url = `http://${shownHost}:${bound}`;
      const close = (graceMs = GRACE_MS) => closeServer(server, app, state, graceMs);
      const shareConnections = (others: number) => {
        if (maxConnections !== undefined)
          server.maxConnections = Math.max(1, maxConnections - others);
      };
      resolve({ kind: "listening", server: { port: bound, url, close, shareConnections } });
    });
  });
}

function nodeServer(options: HttpServerOptions, state: ServerState): Server {
  const { app, requests, maxConnections } = options;
  const { connections } = state;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const server = createServer(
    {
      // Longer than exporters and proxies keep an idle connection, so that they close it: if the
      // server did, a request could be on its way while its connection goes.
      keepAliveTimeout: 75 * SECOND,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.check,
      // The app answers a request without a Host header, with the usual error body.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      connections.set(incoming.socket, outgoing);
      const record = requestRecorder(requests, incoming, outgoing);
      outgoing.on("close", () => {
        record();
        if (state.isClosing) setImmediate(() => server.closeIdleConnections());
      });
      if (state.isClosing) outgoing.shouldKeepAlive = false;
      app.listener(incoming, outgoing);
    },
  );
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  server.on("connection", (socket) => {
    connections.set(socket, undefined);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === HTTP2_PREFACE && options.onHttp2) refuseHttp2(socket, options.onHttp2());
    else refuseBadRequest(error, socket);
  });
  server.on("checkExpectation", (_, outgoing) => {
    const problem = {
      type: "expectation_failed",
      loc: ["header", "expect"],
      msg: "Must be 100-continue.",
    } as const;
    void sendAnswer(problemAnswer(problem), outgoing);
  });
  return server;
}

/** Writes the log line of a request, once it is over. */
function requestRecorder(
  requests: RequestLog,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): () => void {
  const started = performance.now();
  // Read now: a closed connection no longer has an address.
  const address = incoming.socket.remoteAddress;
  return () =>
    requests.record({
      method: incoming.method ?? "",
      path: pathOf(incoming.url),
      status: outgoing.statusCode,
      ms: performance.now() - started,
      aborted: !outgoing.writableFinished,
      address,
      caller: (incoming as Sender)[CALLER],
      notKept: (incoming as Sender)[NOT_KEPT],
    });
}

async function closeServer(
  server: Server,
  app: HttpApp,
  state: ServerState,
  graceMs: number,
): Promise<number> {
  state.isClosing = true;
  app.close();
  // Requests that have arrived by now are still read: their connections are neither idle nor unused then.
  await nextTurn();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  for (const [socket, outgoing] of state.connections) {
    if (outgoing === undefined) socket.destroy();
    else outgoing.shouldKeepAlive = false;
  }
  const waiting = new AbortController();
  const timeout = delay(graceMs, "late", { signal: waiting.signal }).catch(() => "stopped waiting");
  const first = await Promise.race([closed, timeout]);
  waiting.abort();
  if (first !== "late") return 0;
  const left = await connectionCount(server);
  server.closeAllConnections();
  await closed;
  return left;
}

function connectionCount(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** What Node's parser says of a connection that begins with HTTP/2. */
const HTTP2_PREFACE = "HPE_PAUSED_H2_UPGRADE";

/** Time for the client to read the answer: closed at once, it could be lost with what was unread. */
const LINGER_MS = 1_000;

/** Answers what Node could not read as a request; there is no response object then. */
function refuseBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Reset by the client, or in the middle of an answer, where a second one would be garbage.
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  refuse(socket, answerFor(error.code));
}

/** Answers a connection that is no HTTP/1.1, and closes it. */
export function refuse(socket: Duplex, answer: FullAnswer): void {
  const length = String(Buffer.byteLength(answer.body));
  const headers = [...headersOf(answer), "content-length", length, "connection", "close"];
  let head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`;
  for (let n = 0; n < headers.length; n += 2) head += `${headers[n]}: ${headers[n + 1]}\r\n`;
  // A client that never closes its side would keep the socket for ever.
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(linger));
  socket.end(`${head}\r\n${answer.body}`);
}

function answerFor(code: string | undefined): FullAnswer {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return problemAnswer({
        type: "headers_too_large",
        loc: ["header"],
        msg: "The request line and headers are larger than 64 KiB.",
      });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return problemAnswer({
        type: "request_timeout",
        loc: [],
        msg: "The request took too long to arrive.",
      });
    default:
      return problemAnswer({
        type: "request_malformed",
        loc: [],
        msg: "The request is not valid HTTP/1.1.",
      });
  }
}

/** Descriptors for everything that is no connection: databases, threads, logs, builds. */
const RESERVED = 128;
/** A connection may need a second one: to a build, or to a database. */
const DESCRIPTORS_PER_CONNECTION = 2;
/** Where there are hardly any, a few connections still get in. */
const FEWEST = 16;

/** The number of wanted connections, reduced to what the file descriptors allow. */
export function connectionsWithin(descriptors: number, wanted: number): number {
  const room = Math.floor((descriptors - RESERVED) / DESCRIPTORS_PER_CONNECTION);
  return Math.min(wanted, Math.max(FEWEST, room));
}

/** How many descriptors this process may have; infinite where the system does not tell. */
export function descriptorLimit(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY;
  const limits = readFileSync("/proc/self/limits", "utf8");
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}
