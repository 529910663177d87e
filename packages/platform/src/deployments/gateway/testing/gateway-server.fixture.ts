import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Service } from "../../services.ts";
import type { GatewayProblem } from "../exchange.ts";
import type { GatewayOptions } from "../gateway.ts";
import { Gateway } from "../gateway.ts";

export interface GatewayServer {
  readonly port: number;
  readonly url: string;
  /** What requests failed with, which their clients saw as a 502. */
  readonly problems: readonly GatewayProblem[];
}

/** The gateway in a bare server: every path goes to the one service. */
export async function serveGateway(
  service: Service,
  options: GatewayOptions = {},
): Promise<GatewayServer> {
  const gateway = new Gateway(options);
  const problems: GatewayProblem[] = [];
  const server = createServer((incoming, outgoing) => {
    const target = { find: () => service, scanner: null, path: incoming.url ?? "/" };
    gateway.forward(incoming, outgoing, target, (problem) => {
      problems.push(problem);
      outgoing.writeHead(502).end(problem.kind);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    gateway.close();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, problems };
}
