import { createServer, type Server } from "node:http";
import type { App } from "../app/app.ts";
import type { ServeOptions, Serving } from "../app/serving.ts";
import { ANSWER } from "../server/answer.ts";
import type { IncomingCall } from "../server/incoming-call.ts";
import { answerNode } from "../server/node-handler.ts";
import { isLoopback, refuseForeignHost } from "../server/refuse-foreign-host.ts";

const DEFAULT_PORT = 4101;

/** Serves an app on Node: see `ag.serve`. */
export async function serveOnNode(app: App, options: ServeOptions): Promise<Serving> {
  const port = options.port ?? portOf(process.env.PORT) ?? DEFAULT_PORT;
  const hostname = options.hostname ?? process.env.HOST ?? "127.0.0.1";
  const server = serverOf(app, hostname);
  await listening(server, port, hostname);
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeServer(server).then(() => app.shutdown());
    return closing;
  };
  if (options.signals !== false) closeOnSignals(close);
  return { url: urlOf(hostname, bound), port: bound, close };
}

function serverOf(app: App, hostname: string): Server {
  const answer = isLoopback(hostname)
    ? async (incoming: IncomingCall) => refuseForeignHost(incoming) ?? app[ANSWER](incoming)
    : app[ANSWER];
  return createServer((request, response) => {
    // Only a connection that broke comes here: errors of calls are answers.
    answerNode(answer, request, response).catch(() => response.destroy());
  });
}

function listening(server: Server, port: number, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(explained(error, port, hostname)));
    server.listen(port, hostname, () => resolve());
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Calls that are running finish; connections that wait for nothing are closed at once.
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** Ends the process as the signal would have, once every call is answered and every span is sent. */
function closeOnSignals(close: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void close().finally(() => process.kill(process.pid, signal));
    });
  }
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(
    `PORT is ${JSON.stringify(text)}, which is no port: set a number from 0 to 65535.`,
  );
}

function explained(error: NodeJS.ErrnoException, port: number, hostname: string): Error {
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
