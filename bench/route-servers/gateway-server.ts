import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createGateway } from "../../packages/cli/src/deployments/gateway/create-gateway.ts";
import { startBuildProcess } from "../../packages/cli/src/deployments/processes/start-build-process.ts";
import { Supervisor } from "../../packages/cli/src/deployments/processes/supervisor.ts";

// The workflow of agate-server.ts as the platform runs it, behind the gateway, in a bare server.
const PREFIX = "/services/bench";
const names = ["AGATE_BASE_URL", "AGATE_CONFIG_FILE", "AGATE_APPLICATION"];
const environment = Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]));
const program = { folder: import.meta.dirname, entry: "agate-server.ts", environment };
const supervisor = new Supervisor({ id: "bench", slug: "bench" }, () => {});
supervisor.startLater({
  number: 1,
  start: (signal) =>
    startBuildProcess(program, {
      onLine: (line) => process.stderr.write(`${line}\n`),
      timeoutMs: 30_000,
      signal,
    }),
});
const gateway = createGateway();
const server = createServer((incoming, outgoing) => {
  const url = incoming.url ?? "/";
  const path = url.startsWith(PREFIX) ? url.slice(PREFIX.length) : url;
  gateway.forward(incoming, outgoing, { service: supervisor, path }, (problem) => {
    outgoing.writeHead(502).end(problem.reason);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", async () => {
  await supervisor.close();
  process.exit(0);
});
