import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server as HttpServer, type RequestListener } from "node:http";
import { createServer as createNetServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Service } from "../../services.ts";

export interface SocketService extends Service {
  readonly socketPath: string;
  /** Leases that were not given back. */
  readonly leases: number;
  /** How often a lease was released as unreachable. */
  readonly unreachable: number;
  readonly connections: ReadonlySet<Socket>;
}

/** A service of this process behind a unix socket, which is always available. */
export async function serveHttp(
  listener: RequestListener,
  prepare: (server: HttpServer) => void = () => {},
): Promise<SocketService> {
  const server = createServer({ keepAliveTimeout: 0 }, listener);
  prepare(server);
  return listenOn(server);
}

/** The same for one that writes what it likes. */
export function serveBytes(onConnection: (socket: Socket) => void): Promise<SocketService> {
  return listenOn(
    createNetServer((socket) => {
      socket.on("error", () => {});
      onConnection(socket);
    }),
  );
}

async function listenOn(server: Server): Promise<SocketService> {
  const folder = await mkdtemp(join(tmpdir(), "agate-gateway-"));
  const socketPath = join(folder, "s");
  const connections = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  server.listen(socketPath);
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of connections) socket.destroy();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  let leases = 0;
  let unreachable = 0;
  return {
    application: { id: "app_1", slug: "support" },
    socketPath,
    connections,
    get leases() {
      return leases;
    },
    get unreachable() {
      return unreachable;
    },
    acquire: () => {
      leases++;
      let isHeld = true;
      return {
        kind: "lease",
        socketPath,
        release: (found) => {
          if (isHeld) leases--;
          isHeld = false;
          if (found === "unreachable") unreachable++;
        },
      };
    },
  };
}
