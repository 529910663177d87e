import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { decodeOtlpProtobuf } from "../../packages/platform/src/ingest/otlp/decode-otlp-protobuf.ts";

/** What it does with one request with spans: a status, after a time. */
export interface Behaviour {
  readonly status: number;
  readonly milliseconds: number;
}

/** The part of a platform that a worker needs, which counts every span, and may be slow or refuse. */
export interface CountingPlatform extends AsyncDisposable {
  readonly url: string;
  /** The ids of the spans that it has accepted. */
  readonly accepted: ReadonlySet<string>;
  /** Requests for a configuration. */
  readonly asked: () => number;
  /** Deploys a configuration of the route `/call` and `/stream`. */
  deploy(version: string): void;
}

export async function startCountingPlatform(
  behave: (request: number) => Behaviour,
): Promise<CountingPlatform> {
  const accepted = new Set<string>();
  let exports = 0;
  let asked = 0;
  let version = "first";
  const server = createServer(async (request, response) => {
    // The runtime breaks a request off with the call that made it.
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    if (!request.url?.startsWith("/v1/traces")) {
      asked += 1;
      const etag = `"${version}"`;
      if (request.headers["if-none-match"] === etag) return void response.writeHead(304).end();
      response.writeHead(200, { "content-type": "application/json", etag });
      return void response.end(JSON.stringify(configuration(version)));
    }
    const { status, milliseconds } = behave(exports++);
    const decoded = decodeOtlpProtobuf(body);
    if (decoded.kind !== "decoded") throw new Error(decoded.reason);
    setTimeout(() => {
      if (status === 200) for (const span of decoded.request.spans) accepted.add(span.spanId);
      response.writeHead(status).end();
    }, milliseconds);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    asked: () => asked,
    deploy: (next) => {
      version = next;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function configuration(version: string) {
  const params = { "/call": { version }, "/stream": { version } };
  return {
    application: { id: "load", slug: "load" },
    variant: { id: "default", slug: "default", revision: 1 },
    environment: "production",
    params,
  };
}
