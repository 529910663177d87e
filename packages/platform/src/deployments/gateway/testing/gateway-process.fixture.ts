import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { EnvironmentScanner } from "../environment-scanner.ts";
import { Gateway } from "../gateway.ts";

// A gateway in a process of its own, so that its memory can be measured. Every environment is the
// service at the socket that it is given.

const [socketPath = ""] = process.argv.slice(2);
const gateway = new Gateway({ holding: { waitMs: 3_600_000 } });
const service = {
  application: { id: "app_1", slug: "support" },
  acquire: () => ({ kind: "lease", socketPath, release: () => {} }) as const,
};
const server = createServer((incoming, outgoing) => {
  const find = (name: string | null) => {
    outgoing.setHeader("found", name ?? "none");
    return service;
  };
  const target = { find, scanner: new EnvironmentScanner(), path: incoming.url ?? "/" };
  gateway.forward(incoming, outgoing, target, ({ kind }) => outgoing.writeHead(502).end(kind));
});
let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);
process.on("message", () => {
  process.send?.({ peak });
  peak = process.memoryUsage.rss();
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
