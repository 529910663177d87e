import { type AddressInfo, connect, createServer } from "node:net";

// The least that a process in between costs: it moves bytes and looks at none.
const server = createServer({ noDelay: true }, (client) => {
  const target = connect({
    port: Number(process.env.TARGET_PORT),
    host: "127.0.0.1",
    noDelay: true,
  });
  client.on("data", (bytes) => target.write(bytes));
  target.on("data", (bytes) => client.write(bytes));
  for (const [from, to] of [
    [client, target],
    [target, client],
  ] as const) {
    from.on("error", () => {});
    from.on("close", () => to.destroy());
  }
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`);
});
