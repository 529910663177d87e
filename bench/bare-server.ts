import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

// The reference: the least that Node can do to send these bytes. It holds the answers of another
// server in memory and looks at nothing but the path.

const answers = new Map<string, Buffer>([["/", Buffer.from("ok")]]);

process.once("message", async (message) => {
  const { originPort, paths, accepted } = message as {
    originPort: number;
    paths: readonly string[];
    accepted: string;
  };
  // Not fetch, which would unpack them.
  const headers = { "accept-encoding": accepted };
  for (const path of paths) {
    const request = get({ host: "127.0.0.1", port: originPort, path, headers });
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    answers.set(path, Buffer.concat(await answer.toArray()));
  }
  const server = createServer((request, response) => {
    const body = answers.get(request.url ?? "") as Buffer;
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": body.length,
    });
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`);
  });
});
