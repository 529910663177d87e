import { createServer, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { App } from "../app/app.ts";
import type { ServeOptions, Serving } from "../app/serving.ts";
import { environment } from "../runtime/environment.ts";
import { ANSWER } from "../server/answer.ts";
import type { IncomingCall } from "../server/incoming-call.ts";
import { answerNode } from "../server/node-handler.ts";
import { isLoopback, refuseForeignHost } from "../server/refuse-foreign-host.ts";

const DEFAULT_PORT = 4101;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** Marks our listeners of signals: several apps may be served in one process. */
const OWN = Symbol("agate");

/** Serves an app on Node: see `ag.serve`. */
export async function serveOnNode(app: App, options: ServeOptions): Promise<Serving> {
  const port = options.port ?? portOf(environment("PORT")) ?? DEFAULT_PORT;
  const hostname = options.hostname ?? environment("HOST") ?? "127.0.0.1";
  // Settings that are wrong are told here, and not at the first request.
  app.telemetry.statistics();
  const server = serverOf(app, hostname);
  const connections = connectionsOf(server);
  await listening(server, port, hostname);
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeServer(server, connections)
      .then(() => app.shutdown())
      .finally(forgetSignals);
    return closing;
  };
  const forgetSignals = options.signals === false ? () => {} : closeOnSignals(close);
  return { url: urlOf(hostname, bound), port: bound, close };
}

function serverOf(app: App, hostname: string): Server {
  const answer = isLoopback(hostname)
    ? (incoming: IncomingCall) => refuseForeignHost(incoming) ?? app[ANSWER](incoming)
    : app[ANSWER];
  const server = createServer((request, response) => {
    answerNode(answer, { request, response }).then(
      () => {
        if (!server.listening) closeConnection(server, response);
      },
      // Only a connection that broke comes here: errors of calls are answers.
      () => response.destroy(),
    );
  });
  return server;
}

/** For the last answer on a connection: a client that keeps it open would hold the server open. */
function closeConnection(server: Server, response: ServerResponse): void {
  if (response.destroyed) server.closeIdleConnections();
  else response.once("close", () => server.closeIdleConnections());
}

function listening(server: Server, port: number, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(explained(error, port, hostname)));
    server.listen(port, hostname, () => resolve());
  });
}

function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  return connections;
}

function closeServer(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    // Calls that are running finish; connections that wait for nothing are closed at once.
    server.close(() => resolve());
    server.closeIdleConnections();
    // Browsers open connections that they may never use. Node waits a minute for their first request.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  });
}

/**
 * Ends the process as the signal would have, once every call is answered and every span is sent. A
 * second signal does not wait for that. The returned function takes it all back.
 */
function closeOnSignals(close: () => Promise<void>): () => void {
  let isClosing = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    // We come before the others, by `prependListener`: a `once` of theirs is still among them.
    const isAlone = process.listeners(signal).every((listener) => OWN in listener);
    const isSecond = isClosing;
    isClosing = true;
    const end = (): void => {
      forget();
      const kill = (): void => {
        if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
      };
      // Where the program listens too it has last words of its own, and ends by itself after them.
      if (isAlone || isSecond) kill();
      else process.once("beforeExit", kill);
    };
    if (isSecond) end();
    else void close().finally(end);
  };
  Object.defineProperty(onSignal, OWN, { value: true });
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  return forget;
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(
    `PORT is ${JSON.stringify(text)}, which is no port: set a number from 0 to 65535.`,
  );
}

function explained(error: NodeJS.ErrnoException, port: number, hostname: string): Error {
  if (error.code === "ENOTFOUND" || error.code === "EADDRNOTAVAIL") {
    return new Error(
      `${hostname} is no address of this machine. Pass one, ag.serve({ hostname: "0.0.0.0" }), or set HOST.`,
      { cause: error },
    );
  }
  if (error.code !== "EADDRINUSE") return error;
  return new Error(
    `Port ${port} of ${hostname} is taken by another process. Pass another: ag.serve({ port: ${port + 1} }), or set PORT.`,
    { cause: error },
  );
}

function urlOf(hostname: string, port: number): string {
  const host = hostname === "0.0.0.0" || hostname === "::" ? "localhost" : hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
