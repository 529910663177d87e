import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** Takes connections and what is sent, and never answers. */
export interface BlackHole extends AsyncDisposable {
  readonly url: string;
  /** Resolves when something has been sent to it. */
  readonly received: Promise<void>;
  /** Connections so far, and those that are still open. */
  readonly connections: { readonly taken: number; readonly open: number };
}

export async function startBlackHole(): Promise<BlackHole> {
  const sockets = new Set<Socket>();
  const received = Promise.withResolvers<void>();
  let taken = 0;
  const server = createServer((socket) => {
    taken += 1;
    sockets.add(socket);
    socket.on("data", () => received.resolve());
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: received.promise,
    get connections() {
      return { taken, open: sockets.size };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
