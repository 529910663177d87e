import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { OtlpSpan } from "@agate/spans";
import { decodeOtlpProtobuf } from "../../../platform/src/ingest/otlp/decode-otlp-protobuf.ts";

export interface CollectorAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array;
}

/** What a platform does with a request: `"hang"` never answers, `"reset"` breaks the connection off. */
export type Behaviour = (spans: readonly OtlpSpan[]) => CollectorAnswer | "hang" | "reset";

const accept: Behaviour = () => ({ status: 200 });

/** A platform's ingest over real HTTP, well or not. Keeps what it has accepted. */
export class Collector {
  /** Accepted ones only. */
  readonly spans: OtlpSpan[] = [];
  /** The sizes of all requests, accepted or not. */
  readonly requests: number[] = [];
  /** The bodies of all requests, as they came. */
  readonly bodies: Buffer[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  behaviour: Behaviour = accept;
  #server: Server;
  #port = 0;
  #changed = Promise.withResolvers<void>();

  constructor() {
    this.#server = this.#createServer();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<this> {
    this.#server = this.#createServer();
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  /** Resolves when a condition holds; it is looked at after each request. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#changed.promise;
  }

  named(name: string): OtlpSpan {
    const found = this.spans.find((span) => span.name === name);
    if (found === undefined) {
      throw new Error(`no span ${name} among ${this.spans.map((span) => span.name)}`);
    }
    return found;
  }

  #createServer(): Server {
    return createServer(async (request, response) => {
      const body = await buffer(request);
      this.bodies.push(body);
      const decoded = decodeOtlpProtobuf(body);
      if (decoded.kind !== "decoded") throw new Error(decoded.reason);
      const { spans } = decoded.request;
      this.requests.push(spans.length);
      this.headers.push(request.headers);
      const answer = this.behaviour(spans);
      if (answer === "reset") {
        request.socket.resetAndDestroy();
      } else if (answer !== "hang") {
        if (answer.status === 200) this.spans.push(...spans);
        response.writeHead(answer.status, answer.headers).end(answer.body);
      }
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
  }
}
