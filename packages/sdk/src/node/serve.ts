import { createServer, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { constants } from "node:os";
import type { App } from "../app/app.ts";
import type { ServeOptions, Serving } from "../app/serve-module.ts";
import type { Answer } from "../server/answer.ts";
import { ANSWER, refusal } from "../server/answer.ts";
import { callError } from "../server/call-error.ts";
import type { IncomingCall } from "../server/incoming-call.ts";
import { answerNode } from "../server/node-handler.ts";
import { explainListenError, type ListenAddress, listenAddress } from "./listen-address.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** How long calls may run on without a connection before the last spans are sent without theirs. */
const LAST_CALLS_MS = 1_000;
/** Marks our listeners of signals: several apps may be served in one process. */
const OWN = Symbol("agate");

/** Serves an app on Node: see `ag.serve`. */
export async function serveOnNode(
  app: App,
  options: ServeOptions,
  socket?: string,
): Promise<Serving> {
  const address: ListenAddress =
    socket === undefined ? listenAddress(options) : { kind: "unix", path: socket };
  // Settings that are wrong are told here, and not at the first request.
  app.telemetry.statistics();
  const calls = new RunningCalls();
  const server = serverOf(app, address, calls);
  const connections = connectionsOf(server);
  await listening(server, address);

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeServer(server, connections)
      .then(() => calls.ended(LAST_CALLS_MS))
      .then(() => app.shutdown())
      .finally(forgetSignals);
    return closing;
  };
  const forgetSignals = options.signals === false ? () => {} : closeOnSignals(close);
  return { ...boundTo(server, address), close };
}

/**
 * Counts the calls that have not ended. A call whose connection is broken off ends after the connection, and
 * a server without connections is closed: the call's spans would come after telemetry was shut down.
 */
class RunningCalls {
  #count = 0;
  #onEnded: (() => void) | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#onEnded?.();
  }

  /** Resolves when none is running, or after this time. */
  ended(withinMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onEnded = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function serverOf(app: App, address: ListenAddress, calls: RunningCalls): Server {
  // No page in a browser can reach a socket in the file system.
  const answer =
    address.kind === "tcp" && isLoopback(address.hostname)
      ? (incoming: IncomingCall) => refuseForeignHost(incoming) ?? app[ANSWER](incoming)
      : app[ANSWER];
  const server = createServer((request, response) => {
    calls.begin();
    // Without a promise more for what follows both: it would be one of every call.
    answerNode(answer, { request, response }).then(
      () => {
        if (!server.listening) closeConnection(server, response);
        calls.end();
      },
      // Only a connection that broke comes here: errors of calls are answers.
      () => {
        response.destroy();
        calls.end();
      },
    );
  });
  // The platform closes idle connections itself: closing them here could cut a request that is on its way.
  if (address.kind === "unix") server.keepAliveTimeout = 0;
  return server;
}

/** For the last answer on a connection: a client that keeps it open would hold the server open. */
function closeConnection(server: Server, response: ServerResponse): void {
  if (response.destroyed) server.closeIdleConnections();
  else response.once("close", () => server.closeIdleConnections());
}

function listening(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(explainListenError(error, address)));
    if (address.kind === "unix") server.listen(address.path, () => resolve());
    else server.listen(address.port, address.hostname, () => resolve());
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
        if (process.listenerCount(signal) > 0) return;
        // The first process of a container is spared the signals that it has no listener for.
        if (process.pid === 1) process.exit(128 + constants.signals[signal]);
        process.kill(process.pid, signal);
      };
      // A program with listeners of its own runs them and then exits itself.
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

function boundTo(server: Server, address: ListenAddress): Pick<Serving, "url" | "port"> {
  if (address.kind === "unix") return { url: `unix:${address.path}`, port: 0 };
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
  return { url: urlOf(address.hostname, port), port };
}

function urlOf(hostname: string, port: number): string {
  const host = hostname === "0.0.0.0" || hostname === "::" ? "localhost" : hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** With a port or without. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether only this machine can reach a server that listens on this address. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname.includes(":") ? `[${hostname}]` : hostname);
}

/**
 * Protects a server that listens locally from DNS rebinding: a page on the web whose name was made
 * to point at this machine sends that name as `Host`.
 */
export function refuseForeignHost(incoming: IncomingCall): Answer | null {
  const host = incoming.header("host") ?? "";
  if (LOOPBACK.test(host)) return null;
  return refusal(
    callError(
      "host_not_allowed",
      ["header", "host"],
      `The workflow listens on this machine only, and ${JSON.stringify(host)} is not a name of it. Use localhost, or serve on another address: ag.serve({ hostname: "0.0.0.0" }).`,
    ),
  );
}
