import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { problemAnswer } from "./errors/error-answer.ts";
import type { HttpApp } from "./http-app.ts";
import type { RequestLog } from "./log/request-log.ts";
import { refuseBadRequest } from "./refuse-bad-request.ts";
import { pathOf } from "./request-target.ts";
import { sendAnswer } from "./send-answer.ts";
import { CALLER, type Sender } from "./session/sender.ts";

export interface HttpServerOptions {
  readonly app: HttpApp;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly requests: RequestLog;
  /** Connections at a time; further ones are closed at once. */
  readonly maxConnections?: number;
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
  | { readonly kind: "port-in-use" }
  /** A port below 1024, most often. */
  | { readonly kind: "not-permitted" }
  /** This machine has no such address. */
  | { readonly kind: "no-such-address" };

export interface HttpServer {
  readonly port: number;
  /** Where it can be reached, for people: `http://127.0.0.1:4100`. */
  readonly url: string;
  /**
   * Stops accepting, finishes the requests under way, and after `graceMs` breaks off what is left.
   * Resolves with how many connections that were.
   */
  close(graceMs?: number): Promise<number>;
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

/** Serves the app over HTTP, with a log line a request. */
export function startHttpServer(options: HttpServerOptions): Promise<ListenOutcome> {
  const { app, host, port, requests, maxConnections } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  let closing = false;
  const underWay = new Set<ServerResponse>();
  /** Browsers and pools open connections in advance; Node does not count these as idle. */
  const unused = new Set<Socket>();
  const server = createServer(
    {
      // Longer than exporters and proxies keep an idle connection, so that it is they who close it:
      // the other way round, a request can be on its way while its connection goes.
      keepAliveTimeout: 75 * SECOND,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.check,
      // Without a Host header the app answers, with the same body as ever.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      const started = performance.now();
      // Now: a connection that is gone has no address any more.
      const address = incoming.socket.remoteAddress;
      unused.delete(incoming.socket);
      underWay.add(outgoing);
      outgoing.on("close", () => {
        underWay.delete(outgoing);
        requests.record({
          method: incoming.method ?? "",
          path: pathOf(incoming.url),
          status: outgoing.statusCode,
          ms: performance.now() - started,
          aborted: !outgoing.writableFinished,
          address,
          caller: (incoming as Sender)[CALLER],
        });
        if (closing) setImmediate(() => server.closeIdleConnections());
      });
      if (closing) outgoing.shouldKeepAlive = false;
      app.listener(incoming, outgoing);
    },
  );
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("clientError", refuseBadRequest);
  server.on("checkExpectation", (_, outgoing) => {
    const problem = {
      type: "expectation_failed",
      loc: ["header", "expect"],
      msg: "Takes only 100-continue.",
    } as const;
    void sendAnswer(problemAnswer(problem), outgoing);
  });

  async function close(graceMs = GRACE_MS): Promise<number> {
    closing = true;
    app.close();
    // What has arrived by now is still read: its connection is neither idle nor unused then.
    await nextTurn();
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    server.closeIdleConnections();
    for (const socket of unused) socket.destroy();
    for (const outgoing of underWay) outgoing.shouldKeepAlive = false;
    const patience = new AbortController();
    const outOfPatience = delay(graceMs, "late", { signal: patience.signal }).catch(
      () => "stopped waiting",
    );
    const first = await Promise.race([closed, outOfPatience]);
    patience.abort();
    if (first !== "late") return 0;
    const left = await connectionCount();
    server.closeAllConnections();
    await closed;
    return left;
  }

  function connectionCount(): Promise<number> {
    return new Promise((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const outcome = listenFailure(error.code);
      if (outcome === undefined) reject(error);
      else resolve(outcome);
    });
    server.listen({ host, port }, () => {
      const bound = (server.address() as AddressInfo).port;
      const shownHost = host.includes(":") ? `[${host}]` : host;
      const url = `http://${shownHost}:${bound}`;
      resolve({ kind: "listening", server: { port: bound, url, close } });
    });
  });
}

function listenFailure(code: string | undefined): ListenOutcome | undefined {
  switch (code) {
    case "EADDRINUSE":
      return { kind: "port-in-use" };
    case "EACCES":
    case "EPERM":
      return { kind: "not-permitted" };
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { kind: "no-such-address" };
    default:
      return undefined;
  }
}
