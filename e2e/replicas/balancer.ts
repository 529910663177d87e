import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A load balancer. Each request goes to the next server, those of one connection too. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Puts one address before several servers. One that takes no connections is passed over; what a
 * server breaks off is a 502, as with any other balancer: it cannot know whether the request was executed.
 */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const ports = urls.map((url) => Number(new URL(url).port));
  let turn = 0;
  const connectToNext = async (): Promise<Socket | undefined> => {
    const first = turn++;
    for (let tried = 0; tried < ports.length; tried++) {
      const socket = await connected(ports[(first + tried) % ports.length]!);
      if (socket !== undefined) return socket;
    }
    return undefined;
  };
  const server = createServer(async (incoming, response) => {
    const socket = await connectToNext();
    if (socket === undefined) return refuse(response, "No server takes connections.");
    passOn(incoming, response, socket);
  });
  // Closed by the clients: one that is used in the moment when it is closed here would fail a test.
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function connected(port: number): Promise<Socket | undefined> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    return socket;
  } catch {
    return undefined;
  }
}

function passOn(incoming: IncomingMessage, response: ServerResponse, socket: Socket): void {
  const { method, url: path } = incoming;
  const headers = withoutConnection(incoming);
  const request = sendRequest(
    { createConnection: () => socket, method, path, headers },
    (answer) => {
      response.writeHead(answer.statusCode!, withoutConnection(answer));
      answer.on("error", () => response.destroy()).pipe(response);
    },
  );
  request.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else refuse(response, error.message);
  });
  // The client has gone: a stream of events would be sent for ever.
  response.on("close", () => request.destroy());
  incoming.pipe(request);
}

/** How long a connection is kept is a matter between its two ends. */
function withoutConnection({ headers }: IncomingMessage): IncomingHttpHeaders {
  const { connection: _, "keep-alive": __, ...rest } = headers;
  return rest;
}

function refuse(response: ServerResponse, reason: string): void {
  response.writeHead(502, { "content-type": "text/plain" }).end(reason);
}
