import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// Takes spans and counts requests: what the route's process spends on sending them is measured, not
// what a platform on the same two cores spends on storing them.
let bytes = 0;
const server = createServer((request, response) => {
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/x-protobuf" });
    response.end(request.url === "/bytes" ? String(bytes) : undefined);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`);
});
