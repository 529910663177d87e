import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Stands before a platform, and keeps what is sent to it. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  /** The bodies of all requests, byte by byte. */
  sent(): Buffer;
}

export async function startRecordingProxy(serverUrl: string): Promise<RecordingProxy> {
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    bodies.push(body);
    const headers = { "content-type": request.headers["content-type"] ?? "" };
    const answer = await fetch(`${serverUrl}${request.url}`, {
      method: request.method ?? "POST",
      headers,
      body: new Uint8Array(body),
    });
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => Buffer.concat(bodies),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
